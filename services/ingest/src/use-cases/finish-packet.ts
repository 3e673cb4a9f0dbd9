import type { finishPacket as contract } from '@receipts/contracts';
import { originOf, type BatchHandler, type Item } from '@receipts/kernel';
import { deadlineSignal, outboxItem } from '@receipts/storage';
import { finishedEvent } from '../domain/packet-events';
import { finishPacket as decide, type Packet } from '../domain/packet-state';
import type { FinishedPacket } from '../storage/packets';
import type { Parts } from './parts';

type ResultItem = Item<typeof contract>;

function finishedOf(packet: Packet, { input, call }: ResultItem, now: Date): FinishedPacket | undefined {
  const finished = decide(packet, input.body, now);
  return finished && { packet: finished, outbox: outboxItem(finishedEvent(finished, originOf(call, now))) };
}

function decideAll(
  found: ReadonlyMap<string, Packet>,
  items: readonly ResultItem[],
  now: Date,
): FinishedPacket[] {
  const decided = new Map<string, FinishedPacket>();
  for (const item of items) {
    const packet = found.get(item.input.body.id);
    if (!packet || packet.retailer !== item.call.retailer || decided.has(packet.id)) continue;
    const finished = finishedOf(packet, item, now);
    if (finished) decided.set(packet.id, finished);
  }
  return [...decided.values()];
}

/** Saves the outcomes of requested conversions. */
export function finishPacket({ packets, packetRelay, now }: Parts): BatchHandler<typeof contract> {
  return {
    async batch(items) {
      const signal = () => deadlineSignal(items.map(({ call }) => call));
      const at = now();
      const ids = items.map(({ input }) => input.body.id);
      const finished = decideAll(await packets.findMany(ids, signal()), items, at);
      if (finished.length > 0 && !(await packets.finish(finished, signal()))) {
        // Another process has changed one of the packets, so each outcome is applied to the packet's current state.
        for (const item of items) {
          const { retailer } = item.call;
          await packets.finishOne(retailer, item.input.body.id, (packet) => finishedOf(packet, item, at));
        }
      } else packetRelay.enqueue(finished.map(({ packet, outbox }) => ({ _id: packet.id, items: [outbox] })));
      return items.map(() => ({}));
    },
  };
}
