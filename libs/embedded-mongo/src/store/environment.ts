import { closeSync, fstatSync, ftruncateSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { ABORT, TransactionFlags, open, type Database, type RootDatabase } from 'lmdb';
import { Changes, TABLES, type TableName } from './changes';
import { snapshotsIn } from './data-file';
import { RECORD_HEAD_BYTES } from './log-record';
import { sync } from './log-segment';

/** The map is virtual address space; LMDB's file grows as it fills. */
const MAP_BYTES = 2 ** 36;

/** lmdb's options that its typings leave out. */
const UNTYPED = { permissionsMode: 0o600 };

/** lmdb's range options that its typings leave out. */
export interface KeyRange {
  start: Buffer;
  end: Buffer;
  reverse?: boolean;
  exclusiveStart?: boolean;
  inclusiveEnd?: boolean;
  offset?: number;
  limit?: number;
}

export type Table = Database<Buffer, Buffer>;

export const dataFileOf = (folder: string): string => join(folder, 'data.mdb');

/**
 * The LMDB files. `documents` holds [collection u32][record u48] -> BSON; `indexes` holds [index u32][values][record u48]
 * -> nothing, or for a unique index [index u32][values] -> [record u48]; `catalog` holds collections, counts and what is
 * still to be cleared away.
 *
 * One write transaction stays open from a checkpoint to the next, so that a page which is written often is copied and
 * brought to disk once; reads of this process are answered from it. What makes a write durable is the log.
 */
export class Environment {
  readonly documents: Table;
  readonly indexes: Table;
  readonly catalog: Table;
  /** What was written and is not in the log yet. */
  changes = new Changes(RECORD_HEAD_BYTES);
  /** The number of the group of writes that `changes` belong to. */
  group = 1;
  /** The changes that the open transaction holds. */
  changesHeld = 0;
  private readonly root: RootDatabase;
  private readonly fd: number;
  private transaction:
    { readonly end: (result: unknown) => void; readonly ended: Promise<unknown> } | undefined;

  /** `previous` opens the state before the last transaction, which may not have reached the disk as a whole. */
  constructor(
    readonly path: string,
    previous = false,
  ) {
    this.root = open({
      path,
      mapSize: MAP_BYTES,
      maxDbs: 4,
      overlappingSync: false,
      eventTurnBatching: false,
      compression: false,
      noSubdir: false,
      ...UNTYPED,
      ...(previous && { usePreviousSnapshot: true }),
    });
    const binary = { keyEncoding: 'binary', encoding: 'binary' } as const;
    this.documents = this.root.openDB<Buffer, Buffer>('documents', binary);
    this.indexes = this.root.openDB<Buffer, Buffer>('indexes', binary);
    this.catalog = this.root.openDB<Buffer, Buffer>('catalog', binary);
    this.fd = openSync(dataFileOf(path), 'r+');
  }

  /** Opens the write transaction when there is none. */
  begin(): void {
    if (this.transaction !== undefined) return;
    let end!: (result: unknown) => void;
    const ended = this.root.transactionSync(
      () => new Promise<unknown>((resolve) => (end = resolve)),
      TransactionFlags.SYNCHRONOUS_COMMIT | TransactionFlags.NO_SYNC_FLUSH,
    );
    this.transaction = { end, ended };
    this.changesHeld = 0;
  }

  put(table: TableName, key: Buffer, value: Buffer): void {
    void this[table].put(key, value);
    this.changes.put(TABLES.indexOf(table), key, value);
    this.changesHeld++;
  }

  remove(table: TableName, key: Buffer): void {
    void this[table].remove(key);
    this.changes.remove(TABLES.indexOf(table), key);
    this.changesHeld++;
  }

  /** Writes a key that the log does not need to hold: replaying it, or LMDB's own affairs. */
  apply(table: TableName, key: Buffer, value: Buffer | undefined): void {
    void (value === undefined ? this[table].remove(key) : this[table].put(key, value));
    this.changesHeld++;
  }

  /** Ends the transaction: the system has its pages, and `sync` brings them to disk. */
  async commit(): Promise<void> {
    const { transaction } = this;
    if (transaction === undefined) return;
    this.transaction = undefined;
    transaction.end(undefined);
    await transaction.ended;
  }

  /** Drops what the transaction wrote. */
  async abort(): Promise<void> {
    const { transaction } = this;
    this.changes.clear();
    if (transaction === undefined) return;
    this.transaction = undefined;
    transaction.end(ABORT);
    await transaction.ended.catch(() => undefined);
  }

  /** Brings the last commit to disk, while others go on. Gives the id of its transaction. */
  async sync(): Promise<number> {
    const newest = snapshotsIn(dataFileOf(this.path)).snapshots[0]!;
    // LMDB does not write free pages at the end; with them the size tells whether something was cut off.
    if (fstatSync(this.fd).size < newest.bytes) ftruncateSync(this.fd, newest.bytes);
    await sync(this.fd);
    return newest.transaction;
  }

  async close(): Promise<void> {
    await this.abort();
    await this.root.close();
    closeSync(this.fd);
  }
}

export const ID_BYTES = 4;
export const RECORD_BYTES = 6;
export const RECORD_MAX = 2 ** 48 - 1;
export const NOTHING = Buffer.alloc(0);

export function idBytes(id: number): Buffer {
  const b = Buffer.allocUnsafe(ID_BYTES);
  b.writeUInt32BE(id);
  return b;
}

export function recordBytes(record: number): Buffer {
  const b = Buffer.allocUnsafe(RECORD_BYTES);
  b.writeUIntBE(record, 0, RECORD_BYTES);
  return b;
}

export function documentKey(collection: number, record: number): Buffer {
  const b = Buffer.allocUnsafe(ID_BYTES + RECORD_BYTES);
  b.writeUInt32BE(collection, 0);
  b.writeUIntBE(record, ID_BYTES, RECORD_BYTES);
  return b;
}
