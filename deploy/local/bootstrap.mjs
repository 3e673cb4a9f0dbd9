// Prepares a fresh clone: installs the packages and compiles the sources. Plain JavaScript that uses only modules of
// Node.js, because nothing else is available yet.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
/** The minimum minor versions of the supported releases of Node.js; all from `nodeFrom` on are supported. */
const nodeMinors = { 20: 19, 22: 12 };
const nodeFrom = 24;

/** Runs a command in the project's root folder. If it fails, shows its output and exits. */
function run(title, command, args) {
  // Progress goes to stderr, because a program may read the output of the command.
  process.stderr.write(`${title} ... `);
  const began = Date.now();
  const result = spawnSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (result.status !== 0) {
    process.stderr.write('failed\n');
    process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}\n`);
    process.exit(1);
  }
  process.stderr.write(`${((Date.now() - began) / 1000).toFixed(1)} s\n`);
}

/** Most of the packages are tools for tests and checks, which are not needed to run the platform. */
const wholes = {
  platform: {
    marker: 'node_modules/.installed-platform',
    npm: ['libs', 'services', 'deploy/local'].map((folder) => `--workspace=${folder}`),
    projects: ['tsconfig.platform.json'],
  },
  everything: {
    marker: 'node_modules/.installed-everything',
    npm: [],
    projects: ['tsconfig.platform.json', 'test-e2e'],
  },
};

function isCurrent(marker) {
  const file = path.join(root, marker);
  return (
    existsSync(file) &&
    readFileSync(file, 'utf8') === readFileSync(path.join(root, 'package-lock.json'), 'utf8')
  );
}

/** Why the platform cannot run on this machine; undefined if it can. */
export function refusalOn({ platform, versions }) {
  if (platform === 'win32') return 'Windows: use WSL, or "docker compose up --build".';
  const [major = 0, minor = 0] = versions.node.split('.').map(Number);
  if (major >= nodeFrom || minor >= nodeMinors[major]) return undefined;
  return `Node 22 or 24 is required (20.19 also works); this is ${versions.node}.`;
}

/** @param whole 'platform' to run the platform, 'everything' to run tests, checks and benchmarks too */
export function bootstrap(whole) {
  const refusal = refusalOn(process);
  if (refusal !== undefined) {
    process.stderr.write(`${refusal}\n`);
    process.exit(1);
  }
  const { marker, npm, projects } = wholes[whole];
  if (!isCurrent(marker) && !isCurrent(wholes.everything.marker)) {
    run('Installing packages', 'npm', ['ci', '--no-audit', '--no-fund', '--prefer-offline', ...npm]);
    writeFileSync(path.join(root, marker), readFileSync(path.join(root, 'package-lock.json')));
  }
  run('Compiling', process.execPath, [
    path.join(root, 'node_modules/@typescript/native/bin/tsc'),
    '-b',
    ...projects,
  ]);
}
