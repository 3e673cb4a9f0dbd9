import { copyFile, readdir, stat, truncate } from 'node:fs/promises';
import path from 'node:path';

export interface RotationOptions {
  readonly bytesMax: number;
  readonly everyMs: number;
}

const defaults: RotationOptions = { bytesMax: 10 * 1024 * 1024, everyMs: 10_000 };

/**
 * Moves the contents of each log that is too large to a single older file. The processes keep their log files open, so
 * a file is copied and then truncated. Lines written in between are lost, which is acceptable on a development machine.
 */
export async function rotateLogs(dir: string, bytesMax: number): Promise<void> {
  const names = (await readdir(dir).catch(() => [])).filter((name) => name.endsWith('.log'));
  for (const name of names) {
    const file = path.join(dir, name);
    if ((await stat(file)).size <= bytesMax) continue;
    await copyFile(file, `${file}.1`);
    await truncate(file);
  }
}

/** Rotates the logs of a folder periodically. Returns a function that stops it. */
export function keepLogsSmall(dir: string, options: Partial<RotationOptions> = {}): () => void {
  const { bytesMax, everyMs } = { ...defaults, ...options };
  let rotating: Promise<void> | undefined;
  const rotate = () => {
    // Otherwise, a second rotation at the same time would keep the emptied log as the older file.
    rotating ??= rotateLogs(dir, bytesMax)
      .catch(() => undefined)
      .finally(() => (rotating = undefined));
  };
  const timer = setInterval(rotate, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
