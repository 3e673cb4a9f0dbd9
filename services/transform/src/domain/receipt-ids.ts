import { createHash } from 'node:crypto';

/**
 * The id of a packet's receipt. The first has the packet's id; the others are derived from it, so that converting a
 * packet again creates no new receipts.
 */
export function receiptId(packetId: string, index: number): string {
  if (index === 0) return packetId;
  const hash = createHash('sha256').update(`${packetId}:${index}`).digest('hex');
  return `${packetId.slice(0, 8)}${hash.slice(0, 16)}`;
}
