import type { PacketToConvert } from '@receipts/contracts';
import { derivedId } from '@receipts/kernel';

/**
 * The id of a packet's receipt. The first receipt has the packet's id, unless it uses a reserved link; the other ids
 * are derived from the packet's id, so that converting a packet again creates no new receipts.
 */
export function receiptId(
  { id: packetId, receiptId: first = packetId }: Pick<PacketToConvert, 'id' | 'receiptId'>,
  index: number,
): string {
  return index === 0 ? first : derivedId(packetId, `${packetId}:${index}`);
}
