import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Cursors of links: a place in the order of arrival, with a keyed checksum over the retailer and the place. The checksum
 * distinguishes a forged cursor from an old one.
 */
export interface CursorCodec {
  encode(retailer: string, seq: number): string;
  /** Undefined for a cursor that this retailer was never given. */
  decode(retailer: string, text: string): number | undefined;
}

const seqBytes = 6;
const checksumBytes = 6;
const pattern = /^[A-Za-z0-9_-]{16}$/;

export function cursorCodec(secret: string): CursorCodec {
  const checksum = (retailer: string, seq: Buffer) =>
    createHmac('sha256', secret).update('cursor|').update(retailer).update('|').update(seq).digest();
  return {
    encode(retailer, seq) {
      const place = Buffer.alloc(seqBytes);
      place.writeUIntBE(seq, 0, seqBytes);
      return Buffer.concat([place, checksum(retailer, place).subarray(0, checksumBytes)]).toString(
        'base64url',
      );
    },
    decode(retailer, text) {
      if (!pattern.test(text)) return undefined;
      const bytes = Buffer.from(text, 'base64url');
      const place = bytes.subarray(0, seqBytes);
      const expected = checksum(retailer, place).subarray(0, checksumBytes);
      return timingSafeEqual(bytes.subarray(seqBytes), expected) ? place.readUIntBE(0, seqBytes) : undefined;
    },
  };
}
