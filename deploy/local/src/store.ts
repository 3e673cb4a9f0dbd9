import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { Child } from './child';
import { forAnswering } from './node-flags';
import { freePort } from '@receipts/testing';
import { isListening } from './network';

/** The MongoDB that the services use, and how to end it if it is ours. */
export interface Store {
  readonly uri: string;
  readonly origin: string;
  readonly pid?: number | undefined;
  stop(): Promise<void>;
}

const defaultPort = 27017;
const readyTimeoutMs = 20_000;
const pollMs = 50;

function hasMongod(): boolean {
  return spawnSync('mongod', ['--version'], { stdio: 'ignore' }).status === 0;
}

async function startMongod(dataDir: string): Promise<Store> {
  const dbpath = path.join(dataDir, 'mongodb');
  mkdirSync(dbpath, { recursive: true });
  const port = await freePort();
  const args = ['--dbpath', dbpath, '--port', String(port), '--bind_ip', '127.0.0.1', '--quiet'];
  const child = spawn('mongod', args, { stdio: 'ignore', detached: true });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const deadline = Date.now() + readyTimeoutMs;
  while (!(await isListening(port))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error('mongod did not start');
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { uri: `mongodb://127.0.0.1:${port}/`, origin: 'private mongod', pid: child.pid, stop };
}

async function startEmbedded(dataDir: string): Promise<Store> {
  const port = await freePort();
  const child = new Child({
    name: 'embedded-mongo',
    script: path.resolve(__dirname, '../../../libs/embedded-mongo/dist/main.js'),
    nodeFlags: forAnswering,
    args: ['--path', path.join(dataDir, 'embedded-mongo'), '--port', String(port)],
    env: process.env,
    logDir: path.join(dataDir, 'logs'),
  });
  await child.start(readyTimeoutMs);
  return {
    uri: `mongodb://127.0.0.1:${port}/`,
    origin: 'embedded-mongo',
    pid: child.pid,
    stop: () => child.stop(),
  };
}

/**
 * Finds or starts MongoDB: the given address, else one that listens on 27017, else a `mongod` on the PATH with a data
 * folder of its own, else the embedded server.
 */
export async function findStore(options: {
  mongodbUri: string | undefined;
  dataDir: string;
  isolated: boolean;
}): Promise<Store> {
  if (options.mongodbUri !== undefined) {
    return { uri: options.mongodbUri, origin: 'MONGODB_URI', stop: async () => {} };
  }
  if (!options.isolated && (await isListening(defaultPort))) {
    const uri = `mongodb://127.0.0.1:${defaultPort}/`;
    return { uri, origin: `listening on ${defaultPort}`, stop: async () => {} };
  }
  return hasMongod() ? startMongod(options.dataDir) : startEmbedded(options.dataDir);
}
