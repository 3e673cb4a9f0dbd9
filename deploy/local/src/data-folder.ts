import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { isListening } from './network';

/** A data folder that is locked by this process until it is released or the process ends. */
export interface DataFolder {
  readonly dir: string;
  /** Removes the platform's files, and the folder if nothing else is in it. Returns the names of other files. */
  remove(): string[];
  release(): Promise<void>;
}

/** The files and folders of a platform in its data folder. */
const contents = [
  'embedded-mongo',
  'mongodb',
  'rabbitmq',
  'logs',
  'mail',
  'demo-credentials.json',
  'first-steps.json',
  'platform.pid',
  'secrets.json',
];
const ownerOnlyFolder = 0o700;
const ownerOnlyFile = 0o600;

/**
 * The socket address that holds the lock. On Linux it is an abstract address, which the kernel frees when the process
 * ends. Elsewhere it is a socket file, which remains after a crash.
 */
function addressOf(dir: string): string {
  const name = `receipts-${createHash('sha256').update(realpathSync(dir)).digest('hex').slice(0, 24)}`;
  return process.platform === 'linux' ? `\0${name}` : path.join(os.tmpdir(), `${name}.sock`);
}

function listen(address: string): Promise<net.Server> {
  return new Promise((resolve, reject) => {
    const server = net.createServer((socket) => socket.destroy());
    server.once('error', reject);
    server.listen({ path: address, exclusive: true }, () => resolve(server.unref()));
  });
}

async function take(address: string): Promise<net.Server | undefined> {
  try {
    return await listen(address);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
  }
  if (address.startsWith('\0') || (await isListening({ path: address }))) return undefined;
  rmSync(address, { force: true });
  return listen(address);
}

function holderOf(file: string): string {
  try {
    return `Process ${readFileSync(file, 'utf8').trim()}`;
  } catch {
    return 'Another process';
  }
}

/**
 * Creates the data folder, accessible only to its owner, and locks it for this process. Two platforms on the same data
 * would stop each other's broker.
 * @throws Error that names the process that holds the lock
 */
export async function openDataFolder(dir: string): Promise<DataFolder> {
  mkdirSync(dir, { recursive: true, mode: ownerOnlyFolder });
  chmodSync(dir, ownerOnlyFolder);
  const holderFile = path.join(dir, 'platform.pid');
  const server = await take(addressOf(dir));
  if (!server) {
    throw new Error(
      `${holderOf(holderFile)} is already running a platform on the data folder ${dir}.\n` +
        'Stop it, or set another DATA_DIR and PORT.',
    );
  }
  writeFileSync(holderFile, `${process.pid}\n`, { mode: ownerOnlyFile });
  return {
    dir,
    remove: () => {
      for (const name of contents) rmSync(path.join(dir, name), { recursive: true, force: true });
      const others = readdirSync(dir);
      if (others.length === 0) rmdirSync(dir);
      return others;
    },
    release: () => {
      rmSync(holderFile, { force: true });
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
