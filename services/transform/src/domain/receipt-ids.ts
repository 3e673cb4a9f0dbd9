import { createHash } from 'node:crypto';

/**
 * The id of a packet's receipt. The first has the id that the till was told; the others follow from it, so that a packet
 * that is converted again makes no new receipts.
 */
export function receiptId(packetId: string, index: number): string {
  if (index === 0) return packetId;
  const hash = createHash('sha256').update(`${packetId}:${index}`).digest('hex');
  return `${packetId.slice(0, 8)}${hash.slice(0, 16)}`;
}
