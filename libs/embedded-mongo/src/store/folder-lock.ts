import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** Opens and locks a file in one step. Only BSD and macOS support it. */
const oExlock = 0x20;

/**
 * Locks the folder for this process. Returns a function that releases it. Throws if another server holds the lock. The
 * kernel releases the lock when the process ends, so a crash leaves no stale lock.
 */
export async function lockFolder(folder: string): Promise<() => void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const note = join(folder, 'server.lock');
  const free = process.platform === 'linux' ? await bindName(folder) : lockFile(join(folder, 'server.hold'));
  if (free === undefined) throw new Error(`the folder ${folder} is in use by ${holder(note)}`);
  try {
    writeFileSync(note, `${process.pid}`, { mode: 0o600 });
  } catch {
    // The file only helps users to find the process. Writing it fails if the disk is full.
  }
  return () => {
    rmSync(note, { force: true });
    free();
  };
}

/** On Linux the lock is an abstract socket name, which only one process can bind until it ends. */
function bindName(folder: string): Promise<(() => void) | undefined> {
  const { dev, ino } = statSync(folder);
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once('error', (e: NodeJS.ErrnoException) =>
      e.code === 'EADDRINUSE' ? resolve(undefined) : reject(e),
    );
    server.listen({ path: `\0embedded-mongo ${dev} ${ino}`, exclusive: true }, () => {
      server.unref();
      resolve(() => server.close());
    });
  });
}

function lockFile(path: string): (() => void) | undefined {
  try {
    const fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | oExlock, 0o600);
    return () => closeSync(fd);
  } catch (error) {
    if (['EAGAIN', 'EWOULDBLOCK'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

function holder(note: string): string {
  try {
    return `the server with process id ${readFileSync(note, 'utf8').split(' ')[0]}`;
  } catch {
    return 'another server';
  }
}
