import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { idPattern, idTimeMs } from '@receipts/kernel';

/** How long a reserved link waits for its receipt. */
const validMs = 30 * 24 * 60 * 60_000;

/** The receipt that a link is reserved for. */
export interface AllottedLink {
  readonly receiptId: string;
  /** When it expires, in epoch milliseconds, unless it has been used by then. */
  readonly expiresAtMs: number;
}

/** Links that are printed before their receipts exist. A link contains the id of its future receipt. */
export interface AllottedLinks {
  /** @param receiptId an id that starts with the time of the reservation, see `newId` */
  seal(receiptId: string, retailer: string): string;
  /** Undefined for links that `seal` did not create with this secret and for this retailer. */
  open(link: string, retailer: string): AllottedLink | undefined;
}

const keyBytes = 32;
const idBytes = 12;
const tagBytes = 16;

/** When the link of a receipt with this id expires, in epoch milliseconds, unless it has been used by then. */
export const linkExpiryMs = (receiptId: string): number => idTimeMs(receiptId) + validMs;

/** A link is authenticated by its tag, so creating and checking one needs no stored data. */
export function allottedLinks(secret: string): AllottedLinks {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'allotted links', keyBytes));
  const tagOf = (id: Buffer, retailer: string) =>
    createHmac('sha256', key).update(id).update(retailer).digest().subarray(0, tagBytes);

  return {
    seal(receiptId, retailer) {
      if (!idPattern.test(receiptId)) throw new TypeError('the id of a receipt has 24 hexadecimal digits');
      const id = Buffer.from(receiptId, 'hex');
      return Buffer.concat([id, tagOf(id, retailer)]).toString('base64url');
    },
    open(link, retailer) {
      const bytes = Buffer.from(link, 'base64url');
      // Base64 can encode the same bytes in several ways; only the canonical encoding is valid.
      if (bytes.length !== idBytes + tagBytes || bytes.toString('base64url') !== link) return undefined;
      const id = bytes.subarray(0, idBytes);
      if (!timingSafeEqual(tagOf(id, retailer), bytes.subarray(idBytes))) return undefined;
      const receiptId = id.toString('hex');
      return { receiptId, expiresAtMs: linkExpiryMs(receiptId) };
    },
  };
}
