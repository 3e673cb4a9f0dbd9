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

/** A MongoDB for tests: a server of one's own wherever that is possible. */
export interface Mongo {
  readonly uri: string;
  /** False for a server that others use as well, which a test can neither kill nor freeze. */
  readonly isPrivate: boolean;
  /** Ends the server and removes its data; a shared one is left as it is. */
  stop(): Promise<void>;
  /** Ends a private server as a power cut would; its data stay. */
  kill(): Promise<void>;
  /** Starts a private server again, on the same port and data. */
  start(): Promise<void>;
  /** Freezes a private server (true), as a machine that hangs, or lets it go on. */
  freeze(on: boolean): void;
}

export interface MongoOptions {
  /** True for tests that kill or freeze their server: it is then never one that others use. */
  readonly isPrivate?: boolean;
}

interface Program {
  readonly file: string;
  readonly args: (dir: string, port: number) => string[];
}

/** A name for a database that no other test uses, as the server may be shared. */
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
      args: (dir, port) => ['--dbpath', dir, '--port', String(port), '--bind_ip', '127.0.0.1', '--quiet'],
    };
  }
  const embedded = path.resolve(__dirname, '../../embedded-mongo/dist/main.js');
  if (!existsSync(embedded))
    throw new Error('there is no MongoDB: build libs/embedded-mongo, or set TEST_MONGODB_URI');
  return {
    file: process.execPath,
    args: (dir, port) => [embedded, '--path', dir, '--port', String(port)],
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
 * Gives a MongoDB: the one that TEST_MONGODB_URI names, else a private `mongod` from the PATH, else the embedded server, in
 * a temporary folder and on a free port.
 * @throws Error when there is none, or when it does not start within 30 s.
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
  // A parent that ends without stopping its server must not leave it behind.
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
