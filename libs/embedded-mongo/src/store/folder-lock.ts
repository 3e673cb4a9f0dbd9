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

/** Of the BSDs and macOS: open and lock in one step. */
const O_EXLOCK = 0x20;

/**
 * Takes the folder for this process. Returns the release. Throws when another server holds it. What is held belongs to the
 * process in the kernel and goes with it, so that there is no lock of a dead process to find and to take away.
 */
export async function lockFolder(folder: string): Promise<() => void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const note = join(folder, 'server.lock');
  const free = process.platform === 'linux' ? await bindName(folder) : lockFile(join(folder, 'server.hold'));
  if (free === undefined) throw new Error(`the folder ${folder} is in use by ${holder(note)}`);
  try {
    writeFileSync(note, `${process.pid}`, { mode: 0o600 });
  } catch {
    // It is for people who look for the process; a full disk has no room for it.
  }
  return () => {
    rmSync(note, { force: true });
    free();
  };
}

/** On Linux a name of a socket that is no file: one process can have it, for as long as it lives. */
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
    const fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | O_EXLOCK, 0o600);
    return () => closeSync(fd);
  } catch (e) {
    if (['EAGAIN', 'EWOULDBLOCK'].includes((e as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw e;
  }
}

function holder(note: string): string {
  try {
    return `the server with process id ${readFileSync(note, 'utf8').split(' ')[0]}`;
  } catch {
    return 'another server';
  }
}
