import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { pause } from '@receipts/kernel';
import { Child, endWithThisProcess, startTimeoutMs } from './child';
import { forAnswering } from './node-flags';
import { freePort, isListening } from './network';
import { checkDatabase } from './check-connectivity';

/** The MongoDB that the services use. */
export interface DatabaseServer {
  readonly uri: string;
  readonly origin: string;
  /** True if it was started by this process and keeps its data in the data folder. */
  readonly isPrivate: boolean;
  readonly pid?: number | undefined;
  stop(): Promise<void>;
  /** Kills a private server, as in a crash. */
  kill(): Promise<void>;
  /** Starts a private server again with the same data and port. */
  start(): Promise<void>;
}

export interface DatabaseSearch {
  readonly mongodbUri: string | undefined;
  readonly dataDir: string;
  /** The password of the embedded server's only user. If absent, the server has no authentication. */
  readonly password?: string;
  /** False to disable the expiry of documents, for services whose clocks differ from the machine's. */
  readonly expires?: boolean;
  /** The executable of Node.js for the embedded server; default: that of this process. */
  readonly nodePath?: string | undefined;
  readonly onUnexpectedExit?: (reason: string) => void;
}

const privateUser = 'receipts';
const pollMs = 50;

function hasMongod(): boolean {
  return spawnSync('mongod', ['--version'], { stdio: 'ignore' }).status === 0;
}

/**
 * Stops a process when this process ends, even if this process is killed: a shell waits for the end of its standard
 * input, which is a pipe from this process.
 */
function endWithLauncher(child: ChildProcess): void {
  if (child.pid === undefined) return;
  const command = ['-c', 'cat > /dev/null; kill "$0"', String(child.pid)];
  const watcher = spawn('/bin/sh', command, { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  watcher.unref();
  child.once('exit', () => watcher.kill('SIGKILL'));
}

async function startMongod({ dataDir, expires, onUnexpectedExit }: DatabaseSearch): Promise<DatabaseServer> {
  const dbpath = path.join(dataDir, 'mongodb');
  mkdirSync(dbpath, { recursive: true });
  const port = await freePort();
  const args = [
    ...['--dbpath', dbpath, '--port', String(port), '--bind_ip', '127.0.0.1', '--quiet'],
    ...(expires === false ? ['--setParameter', 'ttlMonitorEnabled=false'] : []),
  ];
  let child: ChildProcess | undefined;
  let stopping = false;
  const start = async () => {
    stopping = false;
    const started = spawn('mongod', args, { stdio: 'ignore', detached: true });
    child = started;
    endWithThisProcess(started);
    endWithLauncher(started);
    const deadline = Date.now() + startTimeoutMs;
    while (!(await isListening({ port }))) {
      if (started.exitCode !== null || Date.now() > deadline) {
        await end('SIGKILL');
        throw new Error('mongod did not start');
      }
      await pause(pollMs);
    }
    started.once('exit', (code, signal) => stopping || onUnexpectedExit?.(String(signal ?? code)));
  };
  const end = async (signal: NodeJS.Signals) => {
    stopping = true;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => child?.once('exit', () => resolve()));
    child.kill(signal);
    await ended;
  };
  await start();
  return {
    uri: `mongodb://127.0.0.1:${port}/`,
    origin: 'private mongod',
    isPrivate: true,
    get pid() {
      return child?.pid;
    },
    start,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

async function startEmbedded({
  dataDir,
  password,
  expires,
  nodePath,
  onUnexpectedExit,
}: DatabaseSearch): Promise<DatabaseServer> {
  const port = await freePort();
  const child = new Child({
    name: 'embedded-mongo',
    script: path.resolve(__dirname, '../../../libs/embedded-mongo/dist/main.js'),
    nodeFlags: forAnswering(),
    nodePath,
    args: [
      ...['--path', path.join(dataDir, 'embedded-mongo'), '--port', String(port)],
      ...(password === undefined ? [] : ['--user', privateUser]),
      ...(expires === false ? ['--sweep-every-ms', '2147483647'] : []),
    ],
    env: { ...process.env, ...(password !== undefined && { EMBEDDED_MONGO_PASSWORD: password }) },
    logDir: path.join(dataDir, 'logs'),
    ...(onUnexpectedExit && { onUnexpectedExit }),
  });
  await child.start();
  const credentials = password === undefined ? '' : `${privateUser}:${password}@`;
  return {
    uri: `mongodb://${credentials}127.0.0.1:${port}/`,
    origin: 'embedded-mongo',
    isPrivate: true,
    get pid() {
      return child.pid;
    },
    start: () => child.start(),
    stop: () => child.stop(),
    kill: () => child.kill(),
  };
}

function external(uri: string, origin: string): DatabaseServer {
  const notOurs = () =>
    Promise.reject(new Error('this store was not started here and cannot be started or killed'));
  return { uri, origin, isPrivate: false, stop: async () => {}, kill: notOurs, start: notOurs };
}

/**
 * Finds or starts MongoDB: at the given URI, otherwise a `mongod` from the PATH with its own data folder, otherwise the
 * embedded server. A server on this machine is never used unless it is specified.
 * @throws a one-line Error if the given server does not accept the connection
 */
export async function findDatabase(search: DatabaseSearch): Promise<DatabaseServer> {
  const { mongodbUri } = search;
  if (mongodbUri !== undefined) {
    await checkDatabase(mongodbUri, 'MONGODB_URI');
    return external(mongodbUri, 'MONGODB_URI');
  }
  return hasMongod() ? startMongod(search) : startEmbedded(search);
}
