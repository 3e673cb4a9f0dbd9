import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CursorCodec, ListPosition } from './cursor';

/** The receipts that an export returns. */
export interface ExportRange {
  /** Epoch milliseconds, half-open. */
  readonly from: number;
  readonly to: number;
  /** Undefined for all stores. */
  readonly storeKeys: readonly string[] | undefined;
}

/**
 * A cursor of an export contains the position of the receipt before it. Within an export, it also contains the position
 * of the last receipt, so that resuming a download does not search for that receipt again. A keyed checksum binds the
 * position to the range.
 */
export interface ExportCursors {
  /** @param last the position of the export's last receipt; undefined at the end of the export */
  encode(retailer: string, position: ListPosition, range: ExportRange, last: number | undefined): string;
  /** The part of a cursor that `CursorCodec` reads. */
  positionIn(cursor: string): string;
  /** Undefined if the cursor does not contain the position, or belongs to another range. */
  lastIn(cursor: string, retailer: string, range: ExportRange): number | undefined;
}

const positionLength = 16;
const lastBytes = 6;
const checksumBytes = 6;

export function exportCursors(secret: string, positions: Pick<CursorCodec, 'encode'>): ExportCursors {
  const signed = (last: number, position: string, retailer: string, { from, to, storeKeys }: ExportRange) => {
    const number = Buffer.alloc(lastBytes);
    number.writeUIntBE(last, 0, lastBytes);
    const facts = JSON.stringify(['export', retailer, position, last, from, to, storeKeys]);
    const checksum = createHmac('sha256', secret).update(facts).digest().subarray(0, checksumBytes);
    return Buffer.concat([number, checksum]);
  };
  return {
    encode(retailer, position, range, last) {
      const text = positions.encode(retailer, position);
      if (last === undefined) return text;
      return text + signed(last, text, retailer, range).toString('base64url');
    },
    positionIn: (cursor) => cursor.slice(0, positionLength),
    lastIn(cursor, retailer, range) {
      const given = Buffer.from(cursor.slice(positionLength), 'base64url');
      if (given.length !== lastBytes + checksumBytes) return undefined;
      const last = given.readUIntBE(0, lastBytes);
      const position = cursor.slice(0, positionLength);
      return timingSafeEqual(given, signed(last, position, retailer, range)) ? last : undefined;
    },
  };
}
