import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from './rabbitmq';

const bootTimeoutMs = 90_000;
const stopTimeoutMs = 10_000;
const probeIntervalMs = 25;

/** A MongoDB for tests, private if possible. */
export interface Mongo {
  readonly uri: string;
  /** False for a server that is shared with others. Tests cannot kill or freeze it. */
  readonly isPrivate: boolean;
  /** Stops a private server and removes its data. A shared server keeps running. */
  stop(): Promise<void>;
  /** Kills a private server, as in a power failure, but keeps its data. */
  kill(): Promise<void>;
  /** Starts a private server again with the same port and data. */
  start(): Promise<void>;
  /** Freezes a private server (true), as if the machine hung, or resumes it. */
  freeze(on: boolean): void;
}

export interface MongoOptions {
  /** True for tests that kill or freeze their server, so that it must not be shared. */
  readonly isPrivate?: boolean;
}

interface Program {
  readonly file: string;
  readonly args: (dir: string, port: number) => string[];
}

/** A unique database name, because the server may be shared. */
export function testDatabase(prefix = 'test'): string {
  return `${prefix}_${randomBytes(6).toString('hex')}`;
}

function program(): Program {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter(Boolean);
  const mongod = folders
    .map((folder) => path.join(folder, 'mongod'))
    .find((candidate) => existsSync(candidate));
  if (mongod) {
    return {
      file: mongod,
      args: (dir, port) => [
        ...['--dbpath', dir, '--port', String(port), '--bind_ip', '127.0.0.1', '--quiet'],
        ...['--setParameter', 'ttlMonitorEnabled=false'],
      ],
    };
  }
  const embedded = path.resolve(__dirname, '../../embedded-mongo/dist/main.js');
  if (!existsSync(embedded))
    throw new Error('there is no MongoDB: build libs/embedded-mongo, or set TEST_MONGODB_URI');
  return {
    file: process.execPath,
    args: (dir, port) => [embedded, '--path', dir, '--port', String(port), '--sweep-every-ms', '2147483647'],
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(1_000, () => end(false));
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const shared = (uri: string): Mongo => {
  const refuse = () => {
    throw new Error('this MongoDB is shared');
  };
  return {
    uri,
    isPrivate: false,
    stop: () => Promise.resolve(),
    kill: async () => refuse(),
    start: async () => refuse(),
    freeze: refuse,
  };
};

/**
 * Provides a MongoDB: at TEST_MONGODB_URI, else a private `mongod` from the PATH, else the embedded server, in a
 * temporary folder and on a free port. No document expires in it by itself, since tests have clocks of their own.
 * @throws Error if there is none, or if it does not start within 90 s.
 */
export async function startMongo(options: MongoOptions = {}): Promise<Mongo> {
  const given = process.env['TEST_MONGODB_URI'];
  if (given && !options.isPrivate) return shared(given);
  const { file, args } = program();
  const dir = mkdtempSync(path.join(tmpdir(), 'mongo-'));
  const port = await freePort();
  let child: ChildProcess | undefined;
  let exited: Promise<void> = Promise.resolve();

  const end = async (signal: NodeJS.Signals) => {
    if (!child) return;
    child.kill('SIGCONT');
    child.kill(signal);
    const last = child;
    const timer = setTimeout(() => last.kill('SIGKILL'), stopTimeoutMs);
    await exited;
    clearTimeout(timer);
    child = undefined;
  };
  // The server must not outlive this process, even if it was not stopped.
  const endWithParent = () => void child?.kill('SIGKILL');
  process.once('exit', endWithParent);

  const mongo: Mongo = {
    uri: `mongodb://127.0.0.1:${port}/?directConnection=true`,
    isPrivate: true,
    async start() {
      if (child) throw new Error('this MongoDB runs already');
      const started = spawn(file, args(dir, port), { cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] });
      child = started;
      let complaint = '';
      started.stderr.on(
        'data',
        (text: Buffer) => (complaint = `${complaint}${text.toString()}`.slice(-2_000)),
      );
      let gone = false;
      exited = new Promise((resolve) => {
        const ended = () => {
          gone = true;
          resolve();
        };
        started.once('exit', ended);
        started.once('error', ended);
      });
      const deadline = Date.now() + bootTimeoutMs;
      while (!(await accepts(port))) {
        if (gone || Date.now() > deadline) {
          started.kill('SIGKILL');
          child = undefined;
          throw new Error(`MongoDB did not start: ${complaint}`);
        }
        await pause(probeIntervalMs);
      }
    },
    async stop() {
      await end('SIGTERM');
      process.removeListener('exit', endWithParent);
      rmSync(dir, { recursive: true, force: true });
    },
    kill: () => end('SIGKILL'),
    freeze(on) {
      child?.kill(on ? 'SIGSTOP' : 'SIGCONT');
    },
  };
  await mongo.start();
  return mongo;
}
