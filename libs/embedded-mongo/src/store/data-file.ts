import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

/** Offsets in LMDB's meta pages (data version 2 of lmdb-js). */
const offsets = { flags: 18, magic: 24, version: 28, pageSize: 48, lastPage: 144, transaction: 152 } as const;
const metaBytes = 160;
const metaFlag = 0x08;
const magic = 0xbeefc0de;
const version = 2;

/** A state of the data that LMDB can open. The file contains the last two states. */
export interface Snapshot {
  readonly transaction: number;
  readonly bytes: number;
}

/**
 * The snapshots in an LMDB file, newest first; none if the file does not exist. Throws if it is not a valid LMDB file.
 * `getStats` of lmdb (3.5.6) knows only the newest snapshot, and only of an open file: opening a file whose first page
 * is damaged crashes the process, and so does reading beyond the end of a truncated file.
 */
export function snapshotsIn(path: string): { snapshots: Snapshot[]; size: number } {
  if (!existsSync(path)) return { snapshots: [], size: 0 };
  const fd = openSync(path, 'r');
  try {
    const { size } = fstatSync(fd);
    if (size === 0) return { snapshots: [], size };
    const first = metaAt(fd, 0);
    const second = metaAt(fd, first.pageSize);
    const snapshots = [first, second].map((m) => ({
      transaction: m.transaction,
      bytes: (m.lastPage + 1) * m.pageSize,
    }));
    return { snapshots: snapshots.sort((a, b) => b.transaction - a.transaction), size };
  } catch (error) {
    throw new Error(`the data file ${path} is damaged: ${(error as Error).message}`, { cause: error });
  } finally {
    closeSync(fd);
  }
}

function metaAt(fd: number, position: number): { pageSize: number; lastPage: number; transaction: number } {
  const b = Buffer.alloc(metaBytes);
  if (readSync(fd, b, 0, metaBytes, position) < metaBytes) throw new Error('it is too short');
  const isMeta = (b.readUInt16LE(offsets.flags) & metaFlag) !== 0 && b.readUInt32LE(offsets.magic) === magic;
  if (!isMeta || b.readUInt32LE(offsets.version) !== version)
    throw new Error('it is not an LMDB file of this version');
  const pageSize = b.readUInt32LE(offsets.pageSize);
  if (pageSize < 512 || pageSize > 65_536 || (pageSize & (pageSize - 1)) !== 0) {
    throw new Error(`its page size is ${pageSize}`);
  }
  return {
    pageSize,
    lastPage: Number(b.readBigUInt64LE(offsets.lastPage)),
    transaction: Number(b.readBigUInt64LE(offsets.transaction)),
  };
}
