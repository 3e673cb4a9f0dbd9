import { createHash } from 'node:crypto';
import { createConnection, createServer, type Server } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { remove } from './disk';

/** The operating system truncates longer socket paths. */
const socketPathMax = 100;

/** A socket that exists as long as its process: unlike a file with a process id, it cannot be stale after a crash. */
function socketOf(folder: string): string {
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  if (process.platform === 'win32') return `\\\\.\\pipe\\till-agent-${hash}`;
  const inFolder = path.join(folder, 'lock');
  return inFolder.length <= socketPathMax ? inFolder : path.join(os.tmpdir(), `till-agent-${hash}`);
}

function listen(socket: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((connection) => connection.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(socket, () => resolve(server));
  });
}

function isAnswered(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = createConnection(socket);
    connection.once('connect', () => resolve(true)).once('error', () => resolve(false));
    connection.once('connect', () => connection.destroy());
  });
}

/**
 * Locks the data folder against a second agent until the process ends.
 * @throws Error if an agent uses it
 */
export async function lockFolder(folder: string): Promise<void> {
  const socket = socketOf(folder);
  let server = await listen(socket);
  if (!server && !(await isAnswered(socket))) {
    await remove(socket);
    server = await listen(socket);
  }
  if (!server) throw new Error(`Another agent is using ${folder}. Give each agent its own --data.`);
  server.unref();
}
