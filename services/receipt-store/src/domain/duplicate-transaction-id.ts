import { createHash } from 'node:crypto';

const suffixLength = 4;
const letters = 'abcdefghijklmnopqrstuvwxyz';

/**
 * The transaction id under which a receipt that is marked as a duplicate is stored.
 * @param seed the same seed gives the same id, so that a repeated request finds what it has written before
 * @param attempt from 0; another attempt gives another id
 */
export function duplicateTransactionId(transactionId: string, seed: string, attempt: number): string {
  const digest = createHash('sha256').update(`${seed}|${attempt}`).digest();
  let suffix = '';
  for (let i = 0; i < suffixLength; i++) {
    // Two bytes a letter, so that the letters are as good as evenly spread.
    suffix += letters.charAt(digest.readUInt16BE(i * 2) % letters.length);
  }
  return `${transactionId}-duplicate-${suffix}`;
}
