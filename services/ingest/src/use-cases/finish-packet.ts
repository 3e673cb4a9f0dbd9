import type { finishPacket as contract } from '@receipts/contracts';
import type { BatchHandler, Item } from '@receipts/kernel';
import { deadlineSignal, outboxItem, updateVersioned, type OutboxItem } from '@receipts/storage';
import { finishPacket as decide, type Finished } from '../domain/packet-state';
import { finishedFields, packetOf, type PacketDocument } from '../storage/packets';
import type { Parts } from './parts';

interface Change {
  readonly item: Item<typeof contract>;
  readonly finished: Finished;
  readonly outbox: OutboxItem;
}

async function changesOf(
  parts: Parts,
  items: readonly Item<typeof contract>[],
  now: Date,
): Promise<Change[]> {
  const ids = items.map(({ input }) => input.body.id);
  const found = await parts.packets.findMany(ids, deadlineSignal(items.map(({ call }) => call)));
  const changes = new Map<string, Change>();
  for (const item of items) {
    const { body } = item.input;
    const packet = found.get(body.id);
    if (!packet || packet.retailer !== item.call.retailer || changes.has(body.id)) continue;
    const finished = decide(packet, body, item.call, now);
    if (finished) changes.set(body.id, { item, finished, outbox: outboxItem(finished.event) });
  }
  return [...changes.values()];
}

/** Somebody else changed a packet at the same time: each is decided again on what it is now. */
async function applyOneByOne(
  parts: Parts,
  items: readonly Item<typeof contract>[],
  now: Date,
): Promise<void> {
  for (const { input, call } of items) {
    await updateVersioned<PacketDocument, void>({
      collection: parts.packets.collection,
      retailer: call.retailer,
      id: input.body.id,
      decide(current) {
        const finished = decide(packetOf(current), input.body, call, now);
        if (!finished) return { result: undefined };
        const outbox = [outboxItem(finished.event)];
        return { update: finishedFields(finished.packet), outbox, result: undefined };
      },
    });
  }
}

/** Writes down what became of packets. */
export function finishPacket(parts: Parts): BatchHandler<typeof contract> {
  return {
    async batch(items) {
      const now = parts.now();
      const changes = await changesOf(parts, items, now);
      if (changes.length > 0) {
        const { matchedCount } = await parts.packets.collection.bulkWrite(
          changes.map(({ finished: { packet }, outbox }) => ({
            updateOne: {
              filter: { _id: packet.id, retailer: packet.retailer, version: packet.version - 1 },
              update: { ...finishedFields(packet), $inc: { version: 1 }, $push: { outbox } },
            },
          })),
          { ordered: false, signal: deadlineSignal(items.map(({ call }) => call)) },
        );
        if (matchedCount < changes.length) await applyOneByOne(parts, items, now);
        else {
          parts.packetRelay.nudge(
            changes.map(({ finished, outbox }) => ({ _id: finished.packet.id, items: [outbox] })),
          );
        }
      }
      return items.map(() => ({}));
    },
  };
}
