import { open, type Database, type RootDatabase } from 'lmdb';

/** The map is virtual address space; LMDB's file grows as it fills. */
const MAP_BYTES = 2 ** 36;

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

/**
 * The LMDB files. `documents` holds [collection u32][record u48] -> BSON; `indexes` holds [index u32][values][record u48]
 * -> nothing, or for a unique index [index u32][values] -> [record u48]; `catalog` holds collections, counts and what is
 * still to be cleared away.
 */
export class Environment {
  readonly documents: Table;
  readonly indexes: Table;
  readonly catalog: Table;
  private readonly root: RootDatabase;

  constructor(readonly path: string) {
    // Without overlappingSync a transaction's promise resolves after LMDB's own fdatasync, the plainest kind of durable.
    // Without eventTurnBatching a failed commit rejects one promise; with it a second one that nobody can catch.
    this.root = open({
      path,
      mapSize: MAP_BYTES,
      maxDbs: 4,
      overlappingSync: false,
      eventTurnBatching: false,
      compression: false,
      noSubdir: false,
    });
    const binary = { keyEncoding: 'binary', encoding: 'binary' } as const;
    this.documents = this.root.openDB<Buffer, Buffer>('documents', binary);
    this.indexes = this.root.openDB<Buffer, Buffer>('indexes', binary);
    this.catalog = this.root.openDB<Buffer, Buffer>('catalog', binary);
  }

  /**
   * Runs `body` inside a write transaction and resolves once that is on disk. While `body` waits, reads of other commands
   * see what it has written so far.
   */
  transaction(body: () => void | Promise<void>): Promise<void> {
    return this.root.transaction(body) as Promise<void>;
  }

  close(): Promise<void> {
    return this.root.close();
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
