import type { finishPacket as contract } from '@receipts/contracts';
import { originOf, type BatchHandler, type Item } from '@receipts/kernel';
import { deadlineSignal, outboxItem, type OutboxItem } from '@receipts/storage';
import { finishedEvent } from '../domain/packet-events';
import { finishPacket as decide } from '../domain/packet-state';
import { eventsOfArrival, packetOf, type PacketWithoutBytes } from '../storage/packet-document';
import type { FinishedPacket } from '../storage/packets';
import type { Parts } from './parts';

type ResultItem = Item<typeof contract>;

interface Finished extends FinishedPacket {
  /** The whole outbox. */
  readonly items: readonly OutboxItem[];
}

type Decide = (packet: PacketWithoutBytes, item: ResultItem) => Finished | undefined;

/** @param unpublished the packets whose first events must be saved with the outcome */
const decideAt =
  (now: Date, unpublished: ReadonlySet<string>): Decide =>
  (document, { input, call }) => {
    const packet = decide(packetOf(document), input.body, now);
    if (!packet) return undefined;
    const isFirst = document.version === 1 && unpublished.has(packet.id);
    const events = [
      ...(isFirst ? eventsOfArrival(document) : []),
      finishedEvent(packet, originOf(call, now)),
    ];
    const added = events.map(outboxItem);
    return { packet, added, items: [...(document.outbox ?? []), ...added] };
  };

function decideAll(
  found: ReadonlyMap<string, PacketWithoutBytes>,
  items: readonly ResultItem[],
  finishedOf: Decide,
): Finished[] {
  const decided = new Map<string, Finished>();
  for (const item of items) {
    const packet = found.get(item.input.body.id);
    if (!packet || packet.retailer !== item.call.retailer) continue;
    const earlier = decided.get(packet._id)?.packet.status;
    if (earlier === 'converted') continue;
    const finished = finishedOf(packet, item);
    // The first failure counts, but a success replaces it, because its receipts exist.
    if (finished && (!earlier || finished.packet.status === 'converted')) decided.set(packet._id, finished);
  }
  return [...decided.values()];
}

/** Saves the outcomes of requested conversions. */
export function finishPacket({
  packets,
  unpublished,
  packetRelay,
  now,
}: Parts): BatchHandler<typeof contract> {
  return {
    async batch(items) {
      const signal = () => deadlineSignal(items.map(({ call }) => call));
      const ids = items.map(({ input }) => input.body.id);
      const found = await packets.findMany(ids, signal());
      const finishedOf = decideAt(now(), await unpublished([...found.values()]));
      const finished = decideAll(found, items, finishedOf);
      if (finished.length > 0 && !(await packets.finish(finished, signal()))) {
        // Another process has changed one of the packets, so each outcome is applied to the packet's current state.
        for (const item of items) {
          const { retailer } = item.call;
          await packets.finishOne(retailer, item.input.body.id, (packet) => finishedOf(packet, item));
        }
      } else packetRelay.enqueue(finished.map((one) => ({ _id: one.packet.id, items: one.items })));
      return items.map(() => ({}));
    },
  };
}
