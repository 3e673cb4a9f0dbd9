import type { finishPacket as contract } from '@receipts/contracts';
import { newId, originOf, type BatchHandler, type Item } from '@receipts/kernel';
import { deadlineSignal, outboxItem, type OutboxItem } from '@receipts/storage';
import { finishedEvent } from '../domain/packet-events';
import { finishPacket as decide, type Packet } from '../domain/packet-state';
import { packetOf, type PacketWithoutBytes } from '../storage/packet-document';
import type { FinishedPacket } from '../storage/packet-outcomes';
import type { Dependencies } from './dependencies';

type ResultItem = Item<typeof contract>;

const itemOf = (packet: Packet, { call }: ResultItem, now: Date): OutboxItem =>
  outboxItem(finishedEvent(packet, originOf(call, now)));

/** The outcome is stored with its event, because a later attempt may replace it. */
function withEvent(document: PacketWithoutBytes, result: ResultItem, now: Date) {
  const packet = decide(packetOf(document), result.input.body, now);
  return packet && { packet, item: itemOf(packet, result, now) };
}

/** Nothing changes a packet whose first attempt has succeeded, so its event can be generated from it. */
const isFirstSuccess = ({ version }: PacketWithoutBytes, { status }: Packet) =>
  version === 1 && status === 'converted';

function finishedOf(before: PacketWithoutBytes, result: ResultItem, now: Date): FinishedPacket | undefined {
  const packet = decide(packetOf(before), result.input.body, now);
  if (!packet) return undefined;
  if (!isFirstSuccess(before, packet))
    return { before, packet, event: { item: itemOf(packet, result, now) } };
  return { before, packet, event: { conversion: { event: newId(now.getTime()), cause: result.call.id } } };
}

function decideAll(
  found: ReadonlyMap<string, PacketWithoutBytes>,
  items: readonly ResultItem[],
  now: Date,
): FinishedPacket[] {
  const decided = new Map<string, FinishedPacket>();
  for (const item of items) {
    const packet = found.get(item.input.body.id);
    if (!packet || packet.retailer !== item.call.retailer) continue;
    const earlier = decided.get(packet._id)?.packet.status;
    if (earlier === 'converted') continue;
    const finished = finishedOf(packet, item, now);
    // The first failure counts, but a success replaces it, because its receipts exist.
    if (finished && (!earlier || finished.packet.status === 'converted')) decided.set(packet._id, finished);
  }
  return [...decided.values()];
}

/** Saves the outcomes of conversions. */
export function finishPacket(deps: Dependencies): BatchHandler<typeof contract> {
  const { packets, outcomes, arrivals, conversions, packetRelay, countOutcome, now } = deps;
  return {
    async batch(items) {
      const signal = () => deadlineSignal(items.map(({ call }) => call));
      const ids = items.map(({ input }) => input.body.id);
      const found = await packets.findMany(ids, signal());
      const finished = decideAll(found, items, now());
      if (finished.length === 0) return items.map(() => ({}));
      // The first events of these packets must not be overtaken.
      const flushed = arrivals.flush(finished.map(({ before }) => before));
      const { converted, isComplete } = await outcomes.save(finished, signal());
      await flushed;
      conversions.publish(converted);
      for (const { packet } of finished) countOutcome(packet.reason ?? 'converted');
      if (!isComplete) {
        // Another process has changed one of the packets, so each outcome is applied to the packet's current state.
        for (const item of items) {
          const { retailer } = item.call;
          await outcomes.saveOne(retailer, item.input.body.id, (packet) => withEvent(packet, item, now()));
        }
        return items.map(() => ({}));
      }
      packetRelay.enqueue(
        finished.flatMap(({ before, event }) =>
          'item' in event ? [{ _id: before._id, items: [...(before.outbox ?? []), event.item] }] : [],
        ),
      );
      return items.map(() => ({}));
    },
  };
}
