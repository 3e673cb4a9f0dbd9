import { open, readdir, rename, unlink, type FileHandle } from 'node:fs/promises';
import { platform } from 'node:process';

/** The operations on files that may fail because the disk is full. Tests replace them. */
export interface Disk {
  create(file: string): Promise<FileHandle>;
  write(handle: FileHandle, bytes: Buffer): Promise<void>;
  /** Returns when the file's bytes are on disk. */
  sync(handle: FileHandle): Promise<void>;
}

export const realDisk: Disk = {
  create: (file) => open(file, 'wx', 0o600),
  async write(handle, bytes) {
    for (let at = 0; at < bytes.length;) at += (await handle.write(bytes, at)).bytesWritten;
  },
  sync: (handle) => handle.datasync(),
};

/** Returns when all changes to the folder's entries are on disk. Windows does this implicitly. */
export async function syncFolder(folder: string): Promise<void> {
  if (platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Removes a file; false if there was none. */
export async function remove(file: string): Promise<boolean> {
  try {
    await unlink(file);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Renames a file; false if there was none. */
export async function move(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Creates a file with these bytes, durably and atomically: a crash leaves either all of it or nothing. */
export async function writeDurably(disk: Disk, folder: string, name: string, bytes: Buffer): Promise<void> {
  const temporary = `${folder}/${name}.tmp`;
  await remove(temporary);
  const handle = await disk.create(temporary);
  try {
    await disk.write(handle, bytes);
    await disk.sync(handle);
  } finally {
    await handle.close();
  }
  await rename(temporary, `${folder}/${name}`);
  await syncFolder(folder);
}

export async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).sort();
}
