import { crc32 } from 'node:zlib';
import { MongoError } from '../errors';

/** A document in the data file: BSON, then a u32 with the CRC-32 of its key and the BSON, then `mark`. */
const mark = 0x5c;
const sealBytes = 5;
const lengthBytes = 4;

let buffer = Buffer.allocUnsafeSlow(1 << 16);

/** A document with its seal. Valid until the next call, because LMDB copies its input. */
export function sealed(key: Buffer, bson: Buffer): Buffer {
  const bytes = bson.length + sealBytes;
  if (buffer.length < bytes) buffer = Buffer.allocUnsafeSlow(bytes);
  bson.copy(buffer);
  buffer.writeUInt32LE(crc32(bson, crc32(key)), bson.length);
  buffer[bson.length + lengthBytes] = mark;
  return buffer.subarray(0, bytes);
}

/** The BSON of a stored document. Undefined if it is damaged. */
export function unsealed(key: Buffer, stored: Buffer): Buffer | undefined {
  const last = stored.length - 1;
  if (last < sealBytes) return undefined;
  const length = stored.readUInt32LE(0);
  if (stored[last] !== mark || length !== stored.length - sealBytes) return undefined;
  const bson = stored.subarray(0, length);
  return crc32(bson, crc32(key)) === stored.readUInt32LE(length) ? bson : undefined;
}

/** The data file is corrupted. The error is reported to the operator as well as to the client. */
export class Damaged extends MongoError {
  constructor(path: string, namespace: string, what: string) {
    super(22, `the data file in ${path} is damaged: collection ${namespace}, ${what}`);
  }
}
