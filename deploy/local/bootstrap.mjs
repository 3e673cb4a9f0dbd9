// Brings a fresh clone to the point where its own code can run: installs the packages and compiles the sources.
// Plain JavaScript on Node's own modules, because nothing else is there yet.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const nodeMajorMin = 20;

/** Runs a command in the project's root, its output shown only when it fails. Exits when it does. */
function run(title, command, args) {
  process.stdout.write(`${title} ... `);
  const began = Date.now();
  const result = spawnSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (result.status !== 0) {
    process.stdout.write('failed\n');
    process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}\n`);
    process.exit(1);
  }
  process.stdout.write(`${((Date.now() - began) / 1000).toFixed(1)} s\n`);
}

function isInstalled() {
  const installed = path.join(root, 'node_modules/.package-lock.json');
  return (
    existsSync(installed) &&
    statSync(installed).mtimeMs >= statSync(path.join(root, 'package-lock.json')).mtimeMs
  );
}

export function bootstrap() {
  const [major = 0] = process.versions.node.split('.').map(Number);
  if (major < nodeMajorMin) {
    process.stderr.write(`Node ${nodeMajorMin} or newer is needed; this is ${process.versions.node}.\n`);
    process.exit(1);
  }
  if (!isInstalled())
    run('Installing packages', 'npm', ['ci', '--no-audit', '--no-fund', '--prefer-offline']);
  run('Compiling', process.execPath, [path.join(root, 'node_modules/@typescript/native/bin/tsc'), '-b']);
}
