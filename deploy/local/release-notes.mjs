// Prints the section of CHANGELOG.md for a version, and fails if a package or the chart has a different version: `node
// deploy/local/release-notes.mjs 1.2.0`. Without a version, it only compares the versions.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './bootstrap.mjs';

const read = (file) => readFileSync(path.join(root, file), 'utf8');
const packagesIn = (folder) => readdirSync(path.join(root, folder)).map((name) => path.join(folder, name));
const { positionals } = parseArgs({ allowPositionals: true });
const [version = JSON.parse(read('package.json')).version] = positionals;

const chart = read('deploy/helm/receipts/Chart.yaml');
const found = [
  ...['.', 'deploy/local', 'deploy/till-agent', 'test-e2e', ...packagesIn('libs'), ...packagesIn('services')]
    .map((folder) => path.join(folder, 'package.json'))
    .map((file) => [file, JSON.parse(read(file)).version]),
  ...['version', 'appVersion'].map((name) => [
    `Chart.yaml ${name}`,
    new RegExp(`^${name}: (.*)$`, 'm').exec(chart)?.[1],
  ]),
];
const others = found.filter(([, one]) => one !== version);
for (const [file, one] of others) console.error(`${file} has version ${one}, not ${version}`);

const heading = `## [${version}]`;
const section = read('CHANGELOG.md')
  .split(/^(?=## \[)/m)
  .find((part) => part.startsWith(heading));
if (section === undefined) console.error(`CHANGELOG.md has no section ${heading}`);
else if (positionals.length > 0) console.log(section.split('\n').slice(1).join('\n').trim());
process.exit(others.length === 0 && section !== undefined ? 0 : 1);
