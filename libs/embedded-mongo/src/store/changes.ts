import { copyBytes } from '../keys/copy-bytes';

/** The tables of the environment. A change refers to its table by its index in this list. */
export const tables = ['documents', 'indexes', 'catalog'] as const;
export type TableName = (typeof tables)[number];

const removalFlag = 0x80;
const headBytes = 7;
const startBytes = 1 << 16;
const keptBytesMax = 8 << 20;

/**
 * Puts and removals of keys, in order, in the format of the log:
 *
 *  u8    table; bit 0x80 marks a removal
 *  u16   length of the key
 *  u32   length of the value
 *        key, value
 *
 * Changes are idempotent, so that they can be replayed repeatedly. `headroom` bytes at the start are reserved for the
 * header of the log record.
 */
export class Changes {
  private b = Buffer.allocUnsafeSlow(startBytes);
  private n: number;
  /** The number of puts and removals. */
  count = 0;

  constructor(private readonly headroom: number) {
    this.n = headroom;
  }

  put(table: number, key: Buffer, value: Buffer): void {
    this.head(table, key.length, value.length);
    this.append(key);
    this.append(value);
  }

  remove(table: number, key: Buffer): void {
    this.head(table | removalFlag, key.length, 0);
    this.append(key);
  }

  private append(bytes: Buffer): void {
    copyBytes(bytes, 0, bytes.length, this.b, this.n);
    this.n += bytes.length;
  }

  private head(code: number, keyBytes: number, valueBytes: number): void {
    this.room(headBytes + keyBytes + valueBytes);
    const b = this.b;
    const n = this.n;
    b[n] = code;
    b[n + 1] = keyBytes;
    b[n + 2] = keyBytes >> 8;
    b.writeUInt32LE(valueBytes, n + 3);
    this.n = n + headBytes;
    this.count++;
  }

  private room(more: number): void {
    if (this.n + more <= this.b.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.b.length * 2, this.n + more));
    this.b.copy(grown, 0, 0, this.n);
    this.b = grown;
  }

  /** The headroom and the changes. Valid until the next change. */
  get bytes(): Buffer {
    return this.b.subarray(0, this.n);
  }

  clear(): void {
    if (this.b.length > keptBytesMax) this.b = Buffer.allocUnsafeSlow(startBytes);
    this.n = this.headroom;
    this.count = 0;
  }
}

export interface Change {
  readonly table: TableName;
  readonly key: Buffer;
  readonly value: Buffer | undefined;
}

/** The changes in a log record. Keys and values are views of it. */
export function* changesIn(record: Buffer): Generator<Change, void, void> {
  let p = 0;
  while (p < record.length) {
    const code = record[p]!;
    const valueStart = p + headBytes + record.readUInt16LE(p + 1);
    const end = valueStart + record.readUInt32LE(p + 3);
    const table = tables[code & ~removalFlag];
    if (table === undefined || end > record.length) throw new Error('a record of the log cannot be read');
    const key = record.subarray(p + headBytes, valueStart);
    yield { table, key, value: code & removalFlag ? undefined : record.subarray(valueStart, end) };
    p = end;
  }
}
