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

/** What a cursor of an export contains. */
export interface ExportPosition {
  /** The part of the cursor that `CursorCodec` reads. */
  readonly position: string;
  /** The position of the export's last receipt; undefined at the end of an export, and for another range. */
  readonly last: number | undefined;
}

const pattern = /^([A-Za-z0-9_-]{16})([A-Za-z0-9_-]{24})?$/;
const lastBytes = 6;
const rangeBytes = 6;
const checksumBytes = 6;

/**
 * A cursor of an export contains the position of the receipt before it. Within an export, it also contains the position
 * of the last receipt, so that resuming a download does not search for that receipt again. A keyed checksum binds both
 * to the range.
 */
export function exportCursors(secret: string, positions: Pick<CursorCodec, 'encode'>) {
  const checksum = (bytes: number, ...facts: readonly unknown[]) =>
    createHmac('sha256', secret).update(JSON.stringify(facts)).digest().subarray(0, bytes);
  const idOf = ({ from, to, storeKeys }: ExportRange) => checksum(rangeBytes, 'range', from, to, storeKeys);
  const tail = (position: string, retailer: string, last: number, range: Buffer) => {
    const number = Buffer.alloc(lastBytes);
    number.writeUIntBE(last, 0, lastBytes);
    const signature = checksum(checksumBytes, 'export', retailer, position, last, range.toString('hex'));
    return Buffer.concat([number, range, signature]);
  };
  return {
    /** @param last the position of the export's last receipt; undefined at the end of the export */
    encode(retailer: string, position: ListPosition, range: ExportRange, last: number | undefined): string {
      const text = positions.encode(retailer, position);
      return last === undefined ? text : text + tail(text, retailer, last, idOf(range)).toString('base64url');
    },
    /** Undefined if the text is not a cursor of the retailer's exports. The position is not verified yet. */
    read(cursor: string, retailer: string, range: ExportRange): ExportPosition | undefined {
      const [, position, rest] = pattern.exec(cursor) ?? [];
      if (position === undefined) return undefined;
      if (rest === undefined) return { position, last: undefined };
      const given = Buffer.from(rest, 'base64url');
      const last = given.readUIntBE(0, lastBytes);
      const id = given.subarray(lastBytes, lastBytes + rangeBytes);
      if (!timingSafeEqual(given, tail(position, retailer, last, id))) return undefined;
      return { position, last: id.equals(idOf(range)) ? last : undefined };
    },
  };
}
