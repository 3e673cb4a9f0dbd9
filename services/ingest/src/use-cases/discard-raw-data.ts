import { deliveryContracts, type discardRawData as contract } from '@receipts/contracts';
import { delegatedCall, type Call, type Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { PacketWithoutBytes } from '../storage/packet-document';
import type { Dependencies } from './dependencies';

const eventsAtOnce = 200;

/** Stored events contain the names of attachments. Those of a receipt are erased with it, but these may have had none. */
async function eraseFromFeed(
  { broker }: Dependencies,
  attachments: readonly string[],
  call: Call,
): Promise<void> {
  for (let n = 0; n < attachments.length; n += eventsAtOnce) {
    const body = { receipts: attachments.slice(n, n + eventsAtOnce) };
    await broker.ask(deliveryContracts.eraseAddresses, { body }, call);
  }
}

/** Deletes the content of packets and attachments that no receipt needs. It can be repeated: what is deleted stays so. */
export function discardRawData(deps: Dependencies): Handler<typeof contract> {
  const { packets, packetDeletions, keptEvents, now } = deps;
  return async ({ body }, call) => {
    const { retailer } = call;
    const { attachments } = body;
    const named = [...body.packets, ...body.anonymized].map(({ id }) => id);
    const found = await packets.findMany(named, deadlineSignal(call));
    const asFound = ({ id, version }: { readonly id: string; readonly version: number }) => {
      const packet = found.get(id);
      return packet?.retailer === retailer && packet.version === version ? packet : [];
    };
    const unneeded: PacketWithoutBytes[] = body.packets.flatMap(asFound);
    const anonymized: PacketWithoutBytes[] = body.anonymized.flatMap(asFound);
    // Packets come last, because a repetition could not find what belongs to a deleted packet.
    const areDeleted = await deps.attachments.delete(retailer, attachments, now());
    await eraseFromFeed(deps, attachments, delegatedCall('ingest', call, now().getTime()));
    await keptEvents.forget(retailer, [...unneeded.map(({ _id }) => _id), ...attachments]);
    if (!areDeleted) return { body: { is_complete: false } };
    let isComplete = unneeded.length + anonymized.length === named.length;
    for (const packet of anonymized)
      isComplete = (await packetDeletions.removeIdentifier(packet)) && isComplete;
    for (const packet of unneeded) isComplete = (await packetDeletions.delete(packet, now())) && isComplete;
    return { body: { is_complete: isComplete } };
  };
}
