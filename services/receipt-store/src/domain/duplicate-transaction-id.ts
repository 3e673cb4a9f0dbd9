import { createHash } from 'node:crypto';
import { keyLengthMax } from '@receipts/contracts';

const suffixLength = 4;
const letters = 'abcdefghijklmnopqrstuvwxyz';

/**
 * The transaction id under which a duplicate of a receipt is stored. A long number is cut before the suffix, because a
 * longer id could not be sent in any other request.
 * @param seed the same seed produces the same id, so that a retry finds the receipt that was stored before
 * @param attempt from 0; each attempt produces a different id
 */
export function duplicateTransactionId(transactionId: string, seed: string, attempt: number): string {
  const digest = createHash('sha256').update(`${seed}|${attempt}`).digest();
  let suffix = '';
  for (let i = 0; i < suffixLength; i++) {
    // Two bytes per letter keep the distribution of letters nearly even.
    suffix += letters.charAt(digest.readUInt16BE(i * 2) % letters.length);
  }
  const ending = `-duplicate-${suffix}`;
  return [...transactionId].slice(0, keyLengthMax - ending.length).join('') + ending;
}
