import { hash, randomBytes } from 'node:crypto';

const processPart = randomBytes(5);
let counter = randomBytes(3).readUIntBE(0, 3);

function next(): number {
  counter = (counter + 1) & 0xffffff;
  return counter;
}

/** A new id: 24 hexadecimal digits that begin with the time in seconds, unique over all processes. */
export function newId(nowMs: number = Date.now()): string {
  const id = Buffer.allocUnsafe(12);
  id.writeUInt32BE(Math.floor(nowMs / 1000), 0);
  processPart.copy(id, 4);
  id.writeUIntBE(next(), 9, 3);
  return id.toString('hex');
}

export const idPattern = /^[0-9a-f]{24}$/;

/**
 * Ids that are promised to a caller before anything is stored. The last two bytes are a keyed checksum over the retailer
 * and the rest, so that an owner can tell "promised by us, not yet arrived" from "never heard of" without asking anyone.
 */
export interface IdAllotter {
  allot(retailer: string, nowMs?: number): string;
  /** True when this id was allotted to this retailer. One in 65,536 foreign ids passes by chance. */
  isAllotted(id: string, retailer: string): boolean;
}

const uniqueBytes = 10;
const uniqueDigits = uniqueBytes * 2;
const checksumDigits = 4;

export function idAllotter(secret: string): IdAllotter {
  const instance = randomBytes(3);
  // One call over one string: an HMAC costs four times as much, and would defend against the lengthening of a digest that is
  // never shown whole.
  const checksum = (unique: string, retailer: string) =>
    hash('sha256', `${secret}/${unique}/${retailer}`, 'hex').slice(0, checksumDigits);
  return {
    allot(retailer, nowMs = Date.now()) {
      const bytes = Buffer.allocUnsafe(uniqueBytes);
      bytes.writeUInt32BE(Math.floor(nowMs / 1000), 0);
      instance.copy(bytes, 4);
      bytes.writeUIntBE(next(), 7, 3);
      const unique = bytes.toString('hex');
      return unique + checksum(unique, retailer);
    },
    isAllotted(id, retailer) {
      if (!idPattern.test(id)) return false;
      // Compared in plain: who could measure the time of this gains two bytes that tell nothing.
      return id.slice(uniqueDigits) === checksum(id.slice(0, uniqueDigits), retailer);
    },
  };
}

/** The time inside an id, epoch milliseconds, to the second. */
export function idTimeMs(id: string): number {
  return Number.parseInt(id.slice(0, 8), 16) * 1000;
}
