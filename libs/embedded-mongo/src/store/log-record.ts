import { crc32 } from 'node:zlib';

/**
 * A record of the log, little-endian:
 *
 *     0   u32   MAGIC
 *     4   u32   length of the body
 *     8   u32   CRC-32 of everything that follows, seeded with the salt of the segment
 *     12  u48   sequence: that of the previous record plus one
 *     18  u16   kind
 *     20        body
 */
export const recordHeadBytes = 20;
const magic = 0x1e60c0de;
const magicBytes = Buffer.from([0xde, 0xc0, 0x60, 0x1e]);
const checkedFrom = 12;

export const recordKind = {
  /** The body is a list of changes. */
  changes: 1,
  /** The body is a `Checkpoint`. */
  checkpoint: 2,
} as const;

/** An LMDB transaction that is safely on disk. Stored as two u48. */
export interface Checkpoint {
  readonly transaction: number;
  /** The least size of the data file that contains it. */
  readonly fileBytes: number;
}

export const checkpointBytes = 12;

export function writeCheckpoint(bytes: Buffer, at: number, { transaction, fileBytes }: Checkpoint): void {
  bytes.writeUIntLE(transaction, at, 6);
  bytes.writeUIntLE(fileBytes, at + 6, 6);
}

export const readCheckpoint = (bytes: Buffer, at: number): Checkpoint => ({
  transaction: bytes.readUIntLE(at, 6),
  fileBytes: bytes.readUIntLE(at + 6, 6),
});

export interface LogRecord {
  readonly sequence: number;
  readonly kind: number;
  readonly body: Buffer;
}

/** Fills in the header of a record whose body is already in place. */
export function sealRecord(record: Buffer, sequence: number, kind: number, salt: number): void {
  record.writeUInt32LE(magic, 0);
  record.writeUInt32LE(record.length - recordHeadBytes, 4);
  record.writeUIntLE(sequence, 12, 6);
  record.writeUInt16LE(kind, 18);
  record.writeUInt32LE(crc32(record.subarray(checkedFrom), salt), 8);
}

/** The record at offset `at`, or undefined if there is no complete record with that salt. */
function recordAt(bytes: Buffer, at: number, salt: number): LogRecord | undefined {
  if (at + recordHeadBytes > bytes.length || bytes.readUInt32LE(at) !== magic) return undefined;
  const end = at + recordHeadBytes + bytes.readUInt32LE(at + 4);
  if (end > bytes.length) return undefined;
  if (crc32(bytes.subarray(at + checkedFrom, end), salt) !== bytes.readUInt32LE(at + 8)) return undefined;
  return {
    sequence: bytes.readUIntLE(at + 12, 6),
    kind: bytes.readUInt16LE(at + 18),
    body: bytes.subarray(at + recordHeadBytes, end),
  };
}

/**
 * The records from `start` on, and the offset of their end. If an incomplete record follows them, the process ended
 * while writing it, so it was never acknowledged. Throws if a complete, later record follows the incomplete one, which
 * must then have been damaged after it was written, so that acknowledged writes would be lost.
 */
export function readRecords(
  bytes: Buffer,
  start: number,
  firstSequence: number,
  salt: number,
): { records: LogRecord[]; end: number } {
  const records: LogRecord[] = [];
  let end = start;
  for (let next = firstSequence; ; next++) {
    const r = recordAt(bytes, end, salt);
    if (r === undefined || r.sequence !== next) break;
    records.push(r);
    end += recordHeadBytes + r.body.length;
  }
  const next = firstSequence + records.length;
  for (let at = bytes.indexOf(magicBytes, end); at >= 0; at = bytes.indexOf(magicBytes, at + 1)) {
    const later = recordAt(bytes, at, salt);
    if (later !== undefined && later.sequence > next) {
      throw new Error(`record ${next} at byte ${end} is damaged, record ${later.sequence} follows it`);
    }
  }
  return { records, end };
}
