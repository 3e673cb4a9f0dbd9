import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * A number in a retailer's order of arrival, and the id of the receipt with this number; the id is empty for number 0.
 */
export interface ListPosition {
  readonly arrival: number;
  readonly id: string;
}

const arrivalBytes = 6;
const checksumBytes = 6;
const pattern = /^[A-Za-z0-9_-]{16}$/;

/**
 * Cursors in links: a number in the order of arrival, with a keyed checksum over the retailer, the number and the id of
 * the receipt. If the newest receipts are lost, their numbers are used again, and cursors to them become invalid.
 */
export function cursorCodec(secret: string) {
  const bytesOf = (retailer: string, { arrival, id }: ListPosition) => {
    const number = Buffer.alloc(arrivalBytes);
    number.writeUIntBE(arrival, 0, arrivalBytes);
    const signed = `cursor|${retailer}|${arrival}|${id}`;
    const checksum = createHmac('sha256', secret).update(signed).digest().subarray(0, checksumBytes);
    return Buffer.concat([number, checksum]);
  };
  return {
    encode: (retailer: string, position: ListPosition) => bytesOf(retailer, position).toString('base64url'),
    /** The number in a cursor, not verified yet; undefined for a text that is not a cursor. */
    arrivalOf: (text: string) =>
      pattern.test(text) ? Buffer.from(text, 'base64url').readUIntBE(0, arrivalBytes) : undefined,
    /** Whether a cursor was created for this position. */
    matches: (text: string, retailer: string, position: ListPosition) =>
      timingSafeEqual(Buffer.from(text, 'base64url'), bytesOf(retailer, position)),
  };
}

export type CursorCodec = ReturnType<typeof cursorCodec>;
