import { closeSync, fstatSync, ftruncateSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { ABORT, TransactionFlags, open, type Database, type RootDatabase } from 'lmdb';
import { Changes, tables, type TableName } from './changes';
import { recordHeadBytes, type Checkpoint } from './log-record';
import { sync } from './log-segment';
import { Damaged, sealed, unsealed } from './seal';

/** The size of the memory map, which only reserves address space. LMDB's file grows as needed. */
const mapBytes = 2 ** 36;

/** Options of lmdb that its typings lack. */
const untyped = { permissionsMode: 0o600 };

/** Statistics of lmdb that its typings lack. */
interface Stats {
  readonly lastTxnId: number;
  readonly lastPageNumber: number;
  readonly pageSize: number;
}

/** Range options of lmdb that its typings lack. */
export interface KeyRange {
  start: Buffer;
  end: Buffer;
  reverse?: boolean;
  exclusiveStart?: boolean;
  inclusiveEnd?: boolean;
  offset?: number;
  limit?: number;
}

/** The collection to which documents belong. */
export interface DocumentOwner {
  readonly id: number;
  readonly namespace: string;
}

export type Table = Database<Buffer, Buffer>;

export const dataFileOf = (folder: string): string => join(folder, 'data.mdb');

/**
 * The LMDB database. `documents` maps [collection u32][record u48] to sealed BSON. `indexes` contains [index
 * u32][values][record u48] without a value, or for a unique index maps [index u32][values] to [record u48]. `catalog`
 * contains collections, counts, and dropped data that must still be deleted.
 *
 * A single write transaction stays open from one checkpoint to the next, so that a frequently written page is copied
 * and flushed only once. Reads of this process use the same transaction. Durability comes from the log.
 */
export class Environment {
  readonly documents: Table;
  readonly indexes: Table;
  readonly catalog: Table;
  /**
   * Whether queries without a sort read backwards. MongoDB promises no order for them, so in tests an order that code
   * relies on by mistake is another one.
   */
  readsBackwards = false;
  /** Changes that are not in the log yet. */
  changes = new Changes(recordHeadBytes);
  /** The number of the group of writes to which `changes` belong. */
  group = 1;
  /** The number of changes in the open transaction. */
  changesHeld = 0;
  private readonly root: RootDatabase;
  private readonly fd: number;
  private transaction:
    | { readonly end: (result: unknown) => void; readonly ended: Promise<unknown> }
    | undefined;

  /** @param previous whether to open the state before the last transaction, which may not be completely on disk */
  constructor(
    readonly path: string,
    previous = false,
  ) {
    this.root = open({
      path,
      mapSize: mapBytes,
      maxDbs: 4,
      overlappingSync: false,
      eventTurnBatching: false,
      compression: false,
      noSubdir: false,
      ...untyped,
      ...(previous && { usePreviousSnapshot: true }),
    });
    const binary = { keyEncoding: 'binary', encoding: 'binary' } as const;
    this.documents = this.root.openDB<Buffer, Buffer>('documents', binary);
    this.indexes = this.root.openDB<Buffer, Buffer>('indexes', binary);
    this.catalog = this.root.openDB<Buffer, Buffer>('catalog', binary);
    this.fd = openSync(dataFileOf(path), 'r+');
  }

  /** Opens the write transaction if there is none. */
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
    this.changes.put(tables.indexOf(table), key, value);
    this.changesHeld++;
  }

  remove(table: TableName, key: Buffer): void {
    void this[table].remove(key);
    this.changes.remove(tables.indexOf(table), key);
    this.changesHeld++;
  }

  putDocument(owner: DocumentOwner, record: number, bson: Buffer): void {
    const key = documentKey(owner.id, record);
    this.put('documents', key, sealed(key, bson));
  }

  /** @throws Damaged if the data file is corrupted */
  document(owner: DocumentOwner, record: number): Buffer | undefined {
    const key = documentKey(owner.id, record);
    const stored = this.documents.get(key);
    return stored && this.opened(owner, key, stored);
  }

  /** The BSON of a stored document. */
  opened(owner: DocumentOwner, key: Buffer, stored: Buffer): Buffer {
    const bson = unsealed(key, stored);
    if (bson !== undefined) return bson;
    const record = key.readUIntBE(idSize, recordSize);
    throw new Damaged(this.path, owner.namespace, `document ${record} differs from the written data`);
  }

  /** Writes a key without logging it, for replay and for the format and log position. */
  apply(table: TableName, key: Buffer, value: Buffer | undefined): void {
    void (value === undefined ? this[table].remove(key) : this[table].put(key, value));
    this.changesHeld++;
  }

  /** Commits the transaction. Its pages are handed to the operating system; `sync` flushes them to disk. */
  async commit(): Promise<void> {
    const transaction = this.transaction;
    if (transaction === undefined) return;
    this.transaction = undefined;
    transaction.end(undefined);
    await transaction.ended;
  }

  /** Rolls the transaction back. */
  async abort(): Promise<void> {
    const transaction = this.transaction;
    this.changes.clear();
    if (transaction === undefined) return;
    this.transaction = undefined;
    transaction.end(ABORT);
    await transaction.ended.catch(() => undefined);
  }

  /** Flushes the last commit to disk without blocking writers. */
  async sync(): Promise<Checkpoint> {
    const { lastTxnId: transaction, lastPageNumber, pageSize } = this.root.getStats() as Stats;
    const fileBytes = (lastPageNumber + 1) * pageSize;
    // LMDB does not write free pages at the end of the file. The file is extended to its nominal size, so that a
    // truncated file can be detected.
    if (fstatSync(this.fd).size < fileBytes) ftruncateSync(this.fd, fileBytes);
    await sync(this.fd);
    return { transaction, fileBytes };
  }

  async close(): Promise<void> {
    await this.abort();
    await this.root.close();
    closeSync(this.fd);
  }
}

export const idSize = 4;
export const recordSize = 6;
export const recordMax = 2 ** 48 - 1;
export const nothing = Buffer.alloc(0);

export function idBytes(id: number): Buffer {
  const b = Buffer.allocUnsafe(idSize);
  b.writeUInt32BE(id);
  return b;
}

export function recordBytes(record: number): Buffer {
  const b = Buffer.allocUnsafe(recordSize);
  b.writeUIntBE(record, 0, recordSize);
  return b;
}

export function documentKey(collection: number, record: number): Buffer {
  const b = Buffer.allocUnsafe(idSize + recordSize);
  b.writeUInt32BE(collection, 0);
  b.writeUIntBE(record, idSize, recordSize);
  return b;
}
