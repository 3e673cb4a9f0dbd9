import { createHash } from 'node:crypto';
import type { PacketToConvert } from '@receipts/contracts';

/**
 * The id of a packet's receipt. The first receipt has the packet's id, unless it uses a reserved link; the other ids
 * are derived from the packet's id, so that converting a packet again creates no new receipts.
 */
export function receiptId(
  { id: packetId, receiptId: first = packetId }: Pick<PacketToConvert, 'id' | 'receiptId'>,
  index: number,
): string {
  if (index === 0) return first;
  const hash = createHash('sha256').update(`${packetId}:${index}`).digest('hex');
  return `${packetId.slice(0, 8)}${hash.slice(0, 16)}`;
}
