import { deliveryContracts, findNeededRawData } from '@receipts/contracts';
import { delegatedCall, type Call } from '@receipts/kernel';
import type { PacketWithoutBytes } from '../storage/packet-document';
import type { Dependencies } from './dependencies';

/** Packets whose events may still be published from their content, or that are being converted, are left for later. */
async function busyAmong(
  { arrivals, conversions }: Pick<Dependencies, 'arrivals' | 'conversions'>,
  packets: readonly PacketWithoutBytes[],
): Promise<ReadonlySet<PacketWithoutBytes>> {
  const unpublished = await Promise.all([arrivals.unpublished(packets), conversions.unpublished(packets)]);
  return new Set(
    packets.filter(
      ({ _id, status, outbox = [] }) =>
        status === 'accepted' || outbox.length > 0 || unpublished.some((ids) => ids.has(_id)),
    ),
  );
}

const linksOf = (packets: readonly PacketWithoutBytes[]) =>
  packets.flatMap(({ attachments }) => attachments.map(({ id }) => id));

const eventsAtOnce = 200;

/** Stored events contain the names of attachments. Those of a receipt are erased with it, but these may have had none. */
async function eraseFromFeed(
  { broker }: Pick<Dependencies, 'broker'>,
  attachments: readonly string[],
  call: Call,
): Promise<void> {
  for (let n = 0; n < attachments.length; n += eventsAtOnce) {
    const body = { receipts: attachments.slice(n, n + eventsAtOnce) };
    await broker.ask(deliveryContracts.eraseAddresses, { body }, call);
  }
}

/**
 * Deletes the content of packets none of whose receipts needs it, and attachments that no receipt needs. It can be
 * repeated: what is already deleted stays so.
 * @param onNeeded called for each packet whose content a receipt still needs. @returns false to count it as incomplete
 * @returns false if something cannot be deleted yet
 */
export async function deleteRawData(
  deps: Dependencies,
  {
    packets,
    attachments,
  }: { readonly packets: readonly PacketWithoutBytes[]; readonly attachments: readonly string[] },
  call: Call,
  onNeeded: (packet: PacketWithoutBytes) => Promise<boolean> = () => Promise.resolve(true),
): Promise<boolean> {
  const { broker, packetDeletions, publishedEvents, now } = deps;
  const left = packets.filter(({ deletedAt }) => !deletedAt);
  const busy = await busyAmong(deps, left);
  const ready = left.filter((packet) => !busy.has(packet));
  const all = {
    receipts: ready.flatMap(({ receiptIds }) => receiptIds),
    attachments: [...new Set([...attachments, ...linksOf(ready)])],
  };
  if (all.receipts.length + all.attachments.length + ready.length === 0) return busy.size === 0;
  const inner = delegatedCall('ingest', call, now().getTime());
  const { body: needed } = await broker.ask(findNeededRawData, { body: all }, inner);
  const neededReceipts = new Set(needed.receipts);
  const isNeeded = ({ receiptIds }: PacketWithoutBytes) => receiptIds.some((id) => neededReceipts.has(id));
  const kept = ready.filter(isNeeded);
  const unneeded = ready.filter((packet) => !isNeeded(packet));
  const candidates = new Set([...attachments, ...linksOf(unneeded)]);
  for (const id of needed.attachments) candidates.delete(id);
  // Packets come last, because a repetition could not find what belongs to a deleted packet.
  const areDeleted = await deps.attachments.delete(call.retailer, [...candidates], now());
  await eraseFromFeed(deps, [...candidates], inner);
  await publishedEvents.forget(call.retailer, [...unneeded.map(({ _id }) => _id), ...candidates]);
  if (!areDeleted) return false;
  let isComplete = busy.size === 0;
  for (const packet of kept) isComplete = (await onNeeded(packet)) && isComplete;
  for (const packet of unneeded) isComplete = (await packetDeletions.delete(packet, now())) && isComplete;
  return isComplete;
}
