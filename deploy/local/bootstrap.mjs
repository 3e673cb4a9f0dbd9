// Prepares a fresh clone: installs the packages and compiles the sources. Plain JavaScript that uses only modules of
// Node.js, because nothing else is available yet. While a platform or tests run from this clone, other commands change
// neither the packages nor the compiled code, which the running processes use.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const within = (file) => path.join(root, file);
/** The minimum minor versions of the supported releases of Node.js; all from `nodeFrom` on are supported. */
const nodeMinors = { 20: 19, 22: 12 };
const nodeFrom = 24;

/** Most of the packages are tools for tests and checks, which are not needed to run the platform. */
const wholes = {
  platform: {
    npm: ['libs', 'services', 'deploy/local'].map((folder) => `--workspace=${folder}`),
    // Types are checked by `npm test`.
    compiler: ['--noCheck', 'tsconfig.platform.json'],
    parts: ['deploy/local/dist/start.js'],
  },
  everything: {
    npm: [],
    compiler: ['tsconfig.platform.json', 'test-e2e'],
    parts: ['deploy/local/dist/start.js', 'test-e2e/dist/chaos/main.js', 'node_modules/testcontainers'],
  },
};
const compiler = 'node_modules/@typescript/native/bin/tsc';
const platformMarker = 'node_modules/.installed-platform';
/** One file for each process that uses the packages, named after its id. */
const users = 'node_modules/.used-by';

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

/**
 * Runs a command in the project's root folder, and shows the seconds that it takes. If it fails, shows its output and
 * exits.
 */
async function run(title, command, args) {
  // Progress goes to stderr, because a program may read the output of the command.
  const say = (text) => process.stderr.write(text);
  const began = Date.now();
  const seconds = (digits) => `${((Date.now() - began) / 1000).toFixed(digits)} s`;
  say(`${title} ... `);
  const moving = process.stderr.isTTY && setInterval(() => say(`\r${title} ... ${seconds(0)}`), 1_000);
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const status = await new Promise((resolve) => {
    child.once('error', (error) => resolve((output += error.message)));
    child.once('close', resolve);
  });
  clearInterval(moving);
  if (status !== 0) fail(`failed\n${output}`);
  say(`${moving ? `\r${title} ... ` : ''}${seconds(1)}\n`);
}

const read = (file) => (existsSync(within(file)) ? readFileSync(within(file), 'utf8') : undefined);

/** Whether npm has installed every package of the lock file, as a user's `npm ci` does. */
function hasEverything() {
  const installed = read('node_modules/.package-lock.json');
  if (installed === undefined) return false;
  const { packages } = JSON.parse(installed);
  return Object.entries(JSON.parse(read('package-lock.json')).packages).every(
    ([name, { version, link, optional, devOptional }]) =>
      !name.includes('node_modules/') ||
      link ||
      optional ||
      devOptional ||
      packages[name]?.version === version,
  );
}

async function prepare(whole) {
  const { npm, compiler: options } = wholes[whole];
  const isReady = whole === 'platform' && read(platformMarker) === read('package-lock.json');
  if (!isReady && !hasEverything()) {
    await run('Installing packages', 'npm', ['ci', '--no-audit', '--no-fund', '--prefer-offline', ...npm]);
    if (whole === 'platform') writeFileSync(within(platformMarker), read('package-lock.json'));
  }
  await run('Compiling', process.execPath, [within(compiler), '-b', ...options]);
}

/** False if the process has ended. Another program may have its id by now. */
function isUser(pid) {
  try {
    process.kill(pid, 0);
    const commandLine = `/proc/${pid}/cmdline`;
    return !existsSync(commandLine) || readFileSync(commandLine, 'utf8').includes('deploy/');
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** The ids of the other processes that use this clone's packages and compiled code. */
function otherUsers() {
  if (!existsSync(within(users))) return [];
  return readdirSync(within(users)).filter((pid) => {
    if (isUser(Number(pid))) return Number(pid) !== process.pid;
    rmSync(path.join(within(users), pid), { force: true });
    return false;
  });
}

function becomeUser() {
  const file = path.join(within(users), String(process.pid));
  try {
    mkdirSync(within(users), { recursive: true });
    writeFileSync(file, '');
  } catch {
    // In a clone that this user cannot write to, nobody can install anything either.
    return;
  }
  process.once('exit', () => rmSync(file, { force: true }));
}

/** Why the platform cannot run on this machine; undefined if it can. */
export function refusalOn({ platform, versions }) {
  if (platform === 'win32') return 'Windows: use WSL, or "docker compose up --build".';
  const [major = 0, minor = 0] = versions.node.split('.').map(Number);
  if (major >= nodeFrom || minor >= nodeMinors[major]) return undefined;
  return `Node 22 or 24 is required (20.19 also works); this is ${versions.node}.`;
}

/** @param whole 'platform' to run the platform, 'everything' to run tests, checks and benchmarks too */
export async function bootstrap(whole) {
  const refusal = refusalOn(process);
  if (refusal !== undefined) fail(refusal);
  const [other] = otherUsers();
  if (other === undefined) await prepare(whole);
  else if (wholes[whole].parts.every((part) => existsSync(within(part))))
    process.stderr.write(
      `Process ${other} runs from this folder, so its packages and compiled code are used as they are.\n`,
    );
  else
    fail(
      `This command needs packages or compiled code that are missing. They cannot be added while process ${other} uses\n` +
        'this folder. Stop it with Ctrl-C, run this command, then start it again.',
    );
  becomeUser();
}
