import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Which process holds a folder: its id and, where the system tells, when it started, so that a reused id is known. */
const identityOf = (pid: number): string => `${pid} ${startOf(pid)}`;

function startOf(pid: number): string {
  try {
    // Field 22 of /proc/<pid>/stat, counted after the name in parentheses, which may hold spaces.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? 'unknown';
  } catch {
    return 'unknown';
  }
}

function isAlive(identity: string): boolean {
  const [text, start] = identity.split(' ');
  const pid = Number(text);
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (e) {
    if ((e as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return start === startOf(pid);
}

const ATTEMPTS_MAX = 5;

/**
 * Takes the folder for this process. Returns the release. Throws when another server holds it; the lock of a process that
 * is gone is taken over.
 */
export function lockFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true });
  const lock = join(folder, 'server.lock');
  const own = identityOf(process.pid);
  const draft = join(folder, `server.lock.${process.pid}.${Date.now()}`);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    try {
      writeFileSync(draft, own);
      // link() makes the file with its content in one step and fails when it is there.
      linkSync(draft, lock);
      return () => rmSync(lock, { force: true });
    } catch (e) {
      if ((e as NodeJS.ErrnoException).code !== 'EEXIST') throw e;
      const holder = readHolder(lock);
      if (holder !== undefined && isAlive(holder)) {
        throw new Error(
          `the folder ${folder} is in use by the server with process id ${holder.split(' ')[0]}`,
          {
            cause: e,
          },
        );
      }
      const stale = `${draft}.stale`;
      try {
        renameSync(lock, stale);
      } catch {
        // Another starter took the stale lock away first; the next attempt sees who won.
      }
      rmSync(stale, { force: true });
    } finally {
      rmSync(draft, { force: true });
    }
  }
  throw new Error(`the folder ${folder} could not be locked: other servers are starting in it`);
}

function readHolder(lock: string): string | undefined {
  try {
    return readFileSync(lock, 'utf8');
  } catch {
    return undefined;
  }
}
