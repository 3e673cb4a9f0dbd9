import { randomInt } from 'node:crypto';
import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  write,
} from 'node:fs';
import { crc32 } from 'node:zlib';
import { readRecords, sealRecord, type LogRecord } from './log-record';

/** Two copies of the header, so that one is whole whenever the other is being written; then the records. */
const HEADER_AT = [0, 2048] as const;
const HEADER_BYTES = 40;
const RECORDS_AT = 4096;
const MAGIC = Buffer.from('EMLOG001');

const ALLOCATION_BYTES_MIN = 256 * 1024;
const ALLOCATION_BYTES_MAX = 4 << 20;

/** On Linux a write through such a descriptor returns when it is on disk: one call in place of two. */
const WRITES_ARE_SYNCED = process.platform === 'linux';

export interface SegmentHeader {
  /** Counts the segments that were ever begun; of two the higher one is the newer. */
  readonly generation: number;
  readonly firstSequence: number;
  /** The last LMDB transaction that was known to be safely on disk when the segment began. */
  readonly checkpoint: number;
  /** Drawn anew each time, so that no record of an earlier use of the file, nor a document that looks like one, counts. */
  readonly salt: number;
}

/** One file of the log. Its space is written ahead with zeros, so that a record changes no metadata of the file system. */
export class LogSegment {
  private readonly fd: number;
  private allocated: number;
  private end = RECORDS_AT;
  header: SegmentHeader | undefined;

  constructor(
    private readonly path: string,
    private readonly bytesKept: number,
  ) {
    const synced = WRITES_ARE_SYNCED ? constants.O_DSYNC : 0;
    this.fd = openSync(path, constants.O_RDWR | constants.O_CREAT | synced, 0o600);
    this.allocated = fstatSync(this.fd).size;
  }

  /** Reads the file: its header, and the records that are whole. Throws an error that names it when it is damaged. */
  read(): readonly LogRecord[] {
    try {
      const bytes = this.readAll();
      this.header = readHeader(bytes);
      if (this.header === undefined) return [];
      const { firstSequence, salt } = this.header;
      const { records, end } = readRecords(bytes, RECORDS_AT, firstSequence, salt);
      this.end = end;
      return records;
    } catch (e) {
      throw new Error(`the log ${this.path} is damaged: ${(e as Error).message}`, { cause: e });
    }
  }

  private readAll(): Buffer {
    const bytes = Buffer.allocUnsafeSlow(this.allocated);
    for (let n = 0; n < bytes.length;) {
      const read = readSync(this.fd, bytes, n, bytes.length - n, n);
      if (read === 0) throw new Error('it got shorter while it was read');
      n += read;
    }
    return bytes;
  }

  /** The bytes of its records. */
  get size(): number {
    return this.end - RECORDS_AT;
  }

  /** Begins the file anew; what it held is gone. */
  async begin(header: Omit<SegmentHeader, 'salt'>): Promise<void> {
    if (this.allocated > this.bytesKept) {
      ftruncateSync(this.fd, this.bytesKept);
      this.allocated = this.bytesKept;
    }
    await this.allocate(RECORDS_AT);
    const fresh: SegmentHeader = { ...header, salt: randomInt(2 ** 32) };
    const bytes = writeHeader(fresh);
    for (const at of HEADER_AT) await this.write(bytes, at);
    this.header = fresh;
    this.end = RECORDS_AT;
  }

  /** Resolves when the record is on disk. After a failure the file is as it was before. */
  async append(record: Buffer, sequence: number, kind: number): Promise<void> {
    sealRecord(record, sequence, kind, this.header!.salt);
    const end = this.end + record.length;
    try {
      if (end > this.allocated) await this.allocate(end);
      await this.write(record, this.end);
    } catch (e) {
      this.forget();
      throw e;
    }
    this.end = end;
  }

  /** Makes sure that so many bytes of records can follow without more space on the disk. */
  async reserve(bytes: number): Promise<void> {
    if (this.end + bytes > this.allocated) await this.allocate(this.end + bytes);
  }

  /** Cuts off a record that nobody was told of, so that a restart does not find it. */
  private forget(): void {
    ftruncateSync(this.fd, this.end);
    this.allocated = this.end;
  }

  /** Writes zeros up to `least` and some more: as much as there is already, within bounds. */
  private async allocate(least: number): Promise<void> {
    const step = Math.min(Math.max(this.allocated, ALLOCATION_BYTES_MIN), ALLOCATION_BYTES_MAX);
    const missing = Math.max(least, this.allocated + step) - this.allocated;
    await this.write(Buffer.alloc(missing), this.allocated);
    this.allocated += missing;
  }

  private async write(bytes: Buffer, position: number): Promise<void> {
    for (let n = 0; n < bytes.length;) n += await writeSome(this.fd, bytes, n, position + n);
    if (!WRITES_ARE_SYNCED) await sync(this.fd);
  }

  close(): void {
    closeSync(this.fd);
  }
}

const writeSome = (fd: number, bytes: Buffer, start: number, position: number): Promise<number> =>
  new Promise((resolve, reject) =>
    write(fd, bytes, start, bytes.length - start, position, (e, n) => (e ? reject(e) : resolve(n))),
  );

export const sync = (fd: number): Promise<void> =>
  new Promise((resolve, reject) => fdatasync(fd, (e) => (e ? reject(e) : resolve())));

function writeHeader(h: SegmentHeader): Buffer {
  const b = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(b);
  b.writeUIntLE(h.generation, 8, 6);
  b.writeUIntLE(h.firstSequence, 16, 6);
  b.writeUIntLE(h.checkpoint, 24, 6);
  b.writeUInt32LE(h.salt, 32);
  b.writeUInt32LE(crc32(b.subarray(0, 36)), 36);
  return b;
}

/** The newer of the copies that are whole; undefined for a file that was never begun. */
function readHeader(bytes: Buffer): SegmentHeader | undefined {
  const copies = HEADER_AT.map((at) => bytes.subarray(at, at + HEADER_BYTES));
  const whole = copies.filter(
    (b) =>
      b.length === HEADER_BYTES &&
      b.subarray(0, 8).equals(MAGIC) &&
      crc32(b.subarray(0, 36)) === b.readUInt32LE(36),
  );
  if (whole.length === 0 && copies.some((b) => b.some((x) => x !== 0))) {
    throw new Error('neither copy of its header can be read');
  }
  const headers = whole.map((b) => ({
    generation: b.readUIntLE(8, 6),
    firstSequence: b.readUIntLE(16, 6),
    checkpoint: b.readUIntLE(24, 6),
    salt: b.readUInt32LE(32),
  }));
  return headers.sort((a, b) => b.generation - a.generation)[0];
}
