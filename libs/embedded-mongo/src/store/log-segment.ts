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
import {
  readCheckpoint,
  readRecords,
  sealRecord,
  writeCheckpoint,
  type Checkpoint,
  type LogRecord,
} from './log-record';

/**
 * The offsets of the two copies of the header. One is always intact, even while the other is being written. The records
 * follow.
 */
const headerAt = [0, 2048] as const;
const headerBytes = 44;
const recordsAt = 4096;
const magic = Buffer.from('EMLOG001');

const allocationBytesMin = 256 * 1024;
const allocationBytesMax = 4 << 20;

/** With O_DSYNC on Linux, a write returns when it is on disk, which saves a second system call. */
const writesAreSynced = process.platform === 'linux';

export interface SegmentHeader {
  /** The number of the segment in order of creation; the newer segment has the higher number. */
  readonly generation: number;
  readonly firstSequence: number;
  /** The last known checkpoint when the segment was started. */
  readonly checkpoint: Checkpoint;
  /**
   * Random for each use of the file, so that neither records from an earlier use nor documents that look like a record
   * are accepted.
   */
  readonly salt: number;
}

/**
 * A file of the log. Its space is filled with zeros in advance, so that appending a record changes no file system
 * metadata.
 */
export class LogSegment {
  private readonly fd: number;
  private allocated: number;
  private end = recordsAt;
  header: SegmentHeader | undefined;

  constructor(
    private readonly path: string,
    private readonly bytesKept: number,
  ) {
    const synced = writesAreSynced ? constants.O_DSYNC : 0;
    this.fd = openSync(path, constants.O_RDWR | constants.O_CREAT | synced, 0o600);
    this.allocated = fstatSync(this.fd).size;
  }

  /** Reads the header and all complete records. Throws an error that names the file if it is damaged. */
  read(): readonly LogRecord[] {
    try {
      const bytes = this.readAll();
      this.header = readHeader(bytes);
      if (this.header === undefined) return [];
      const { firstSequence, salt } = this.header;
      const { records, end } = readRecords(bytes, recordsAt, firstSequence, salt);
      this.end = end;
      return records;
    } catch (error) {
      throw new Error(`the log ${this.path} is damaged: ${(error as Error).message}`, { cause: error });
    }
  }

  private readAll(): Buffer {
    const bytes = Buffer.allocUnsafeSlow(this.allocated);
    for (let n = 0; n < bytes.length;) {
      const read = readSync(this.fd, bytes, n, bytes.length - n, n);
      if (read === 0) throw new Error('the file was truncated while it was being read');
      n += read;
    }
    return bytes;
  }

  /** The size of the segment's records in bytes. */
  get size(): number {
    return this.end - recordsAt;
  }

  /** Discards the contents and starts an empty log. */
  async begin(header: Omit<SegmentHeader, 'salt'>): Promise<void> {
    if (this.allocated > this.bytesKept) {
      ftruncateSync(this.fd, this.bytesKept);
      this.allocated = this.bytesKept;
    }
    await this.allocate(recordsAt);
    const fresh: SegmentHeader = { ...header, salt: randomInt(2 ** 32) };
    const bytes = writeHeader(fresh);
    for (const at of headerAt) await this.write(bytes, at);
    this.header = fresh;
    this.end = recordsAt;
  }

  /** Resolves when the record is on disk. After a failure, the file is unchanged. */
  async append(record: Buffer, sequence: number, kind: number): Promise<void> {
    sealRecord(record, sequence, kind, this.header!.salt);
    const end = this.end + record.length;
    try {
      if (end > this.allocated) await this.allocate(end);
      await this.write(record, this.end);
    } catch (error) {
      this.forget();
      throw error;
    }
    this.end = end;
  }

  /** Ensures that this many bytes can be appended without allocating disk space. */
  async reserve(bytes: number): Promise<void> {
    if (this.end + bytes > this.allocated) await this.allocate(this.end + bytes);
  }

  /** Truncates a record that was not acknowledged, so that a restart does not replay it. */
  private forget(): void {
    ftruncateSync(this.fd, this.end);
    this.allocated = this.end;
  }

  /** Writes zeros up to `least` and beyond: as much as the file already has, within limits. */
  private async allocate(least: number): Promise<void> {
    const step = Math.min(Math.max(this.allocated, allocationBytesMin), allocationBytesMax);
    const missing = Math.max(least, this.allocated + step) - this.allocated;
    await this.write(Buffer.alloc(missing), this.allocated);
    this.allocated += missing;
  }

  private async write(bytes: Buffer, position: number): Promise<void> {
    for (let n = 0; n < bytes.length;) n += await writeSome(this.fd, bytes, n, position + n);
    if (!writesAreSynced) await sync(this.fd);
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
  const b = Buffer.alloc(headerBytes);
  magic.copy(b);
  b.writeUIntLE(h.generation, 8, 6);
  b.writeUIntLE(h.firstSequence, 16, 6);
  writeCheckpoint(b, 24, h.checkpoint);
  b.writeUInt32LE(h.salt, 36);
  b.writeUInt32LE(crc32(b.subarray(0, 40)), 40);
  return b;
}

/** The newer of the intact copies; undefined for a file that was never started. */
function readHeader(bytes: Buffer): SegmentHeader | undefined {
  const copies = headerAt.map((at) => bytes.subarray(at, at + headerBytes));
  const whole = copies.filter(
    (b) =>
      b.length === headerBytes &&
      b.subarray(0, 8).equals(magic) &&
      crc32(b.subarray(0, 40)) === b.readUInt32LE(40),
  );
  if (whole.length === 0 && copies.some((b) => b.some((x) => x !== 0))) {
    throw new Error('neither copy of its header can be read');
  }
  const headers = whole.map((b) => ({
    generation: b.readUIntLE(8, 6),
    firstSequence: b.readUIntLE(16, 6),
    checkpoint: readCheckpoint(b, 24),
    salt: b.readUInt32LE(36),
  }));
  return headers.sort((a, b) => b.generation - a.generation)[0];
}
