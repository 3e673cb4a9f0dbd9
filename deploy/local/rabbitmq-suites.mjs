// The RabbitMQ servers of Debian's later suites, each in a root folder of its own, so that the system keeps its own
// version. Debian's installer (`debootstrap`) fills the folders, which takes about a minute and 400 MB each, once.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** From the oldest RabbitMQ to the newest: 4.0 and 4.3 in November 2026. */
const rabbitmqSuites = ['trixie', 'sid'];

const cache = path.join(process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache'), 'receipts');
/** A mirror that does not respond would otherwise be tried for hours. */
const fillMaxSeconds = '300';
const commands = ['rabbitmq-server', 'rabbitmqctl', 'rabbitmq-queues', 'rabbitmq-env'];

/**
 * A command that runs in the suite's root folder, with the processes, the temporary files and the working directory of
 * the system. Each step replaces the process by the next, so that its id remains that of the server.
 */
const commandIn = (folder, command) => `#!/bin/sh
exec unshare --mount sh -ec '
  root="$1"; shift
  mount --rbind /proc "$root/proc"
  mount --bind /etc/hosts "$root/etc/hosts"
  mount --bind /tmp "$root/tmp"
  mkdir -p "$root$PWD"
  mount --bind "$PWD" "$root$PWD"
  exec chroot "$root" sh -c "cd \\"\\$1\\"; shift; exec \\"\\$@\\"" sh "$PWD" /usr/lib/rabbitmq/bin/${command} "$@"
' sh '${folder}' "$@"
`;

function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code) => {
      const [last = ''] = output.trim().split('\n').slice(-1);
      resolve(code === 0 ? undefined : last || `${command} ended with ${code}`);
    });
  });
}

async function fill(suite, folder) {
  if (process.getuid?.() !== 0) return 'only root can install it';
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  const failure = await run('timeout', [
    '--kill-after=5',
    fillMaxSeconds,
    'debootstrap',
    '--variant=minbase',
    '--include=rabbitmq-server',
    suite,
    partial,
  ]);
  if (failure !== undefined) {
    rmSync(partial, { recursive: true, force: true });
    return failure;
  }
  writeFileSync(path.join(partial, 'etc/hosts'), '');
  renameSync(partial, folder);
  return undefined;
}

/**
 * The folder with the commands of the suite's RabbitMQ, for the beginning of the PATH.
 * @returns {Promise<{ folder?: string, failure?: string }>} the folder, or why there is none, in one line
 */
async function rabbitmqOf(suite) {
  const folder = path.join(cache, `rabbitmq-${suite}`);
  if (!existsSync(folder)) {
    const failure = await fill(suite, folder);
    if (failure !== undefined) return { failure };
  }
  const bin = path.join(cache, `rabbitmq-${suite}-bin`);
  mkdirSync(bin, { recursive: true });
  for (const command of commands) {
    const file = path.join(bin, command);
    writeFileSync(file, commandIn(folder, command));
    chmodSync(file, 0o755);
  }
  // A container may not allow a mount or another root folder.
  const failure = await run(path.join(bin, 'rabbitmqctl'), ['version'], { cwd: os.tmpdir() });
  return failure === undefined ? { folder: bin } : { failure };
}

/** The newest RabbitMQ that can be had on this machine; see `rabbitmqOf`. */
export const newestRabbitmq = () => rabbitmqOf(rabbitmqSuites.at(-1));

/** What RabbitMQ's version makes a difference to. */
const dependentTests = ['libs/messaging/', 'services/admin/src/broker/', 'test-e2e/operator-subscriptions'];

/**
 * Runs the tests that depend on RabbitMQ's version on each suite's server, and prints the results.
 * @returns {Promise<boolean>} true if all could run and passed
 */
export async function testOnRabbitmqSuites() {
  const results = [];
  for (const suite of rabbitmqSuites) {
    const { folder, failure } = await rabbitmqOf(suite);
    if (folder === undefined) {
      results.push([suite, `not available: ${failure}`]);
      continue;
    }
    const test = fileURLToPath(new URL('test.mjs', import.meta.url));
    const env = {
      ...process.env,
      TEST_INFRA: 'local',
      PATH: `${folder}${path.delimiter}${process.env.PATH}`,
    };
    const { status } = spawnSync(process.execPath, [test, ...dependentTests], { env, stdio: 'inherit' });
    results.push([suite, status === 0 ? 'passed' : 'failed']);
  }
  for (const [suite, result] of results) console.log(`RabbitMQ of Debian ${suite}: ${result}`);
  return results.every(([, result]) => result === 'passed');
}
