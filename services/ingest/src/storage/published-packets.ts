import type { Collection } from 'mongodb';
import { idsFrom, type Call } from '@receipts/kernel';
import {
  majorityRead,
  inTransitMs,
  cursorOverlapMs,
  type PublishedPage,
  type PublishedEventSource,
} from '@receipts/storage';
import {
  eventsOfArrival,
  packetIndexes,
  type PacketDocument,
  type PacketWithoutBytes,
} from './packet-document';

/**
 * The published events of arrived packets, generated from the packets, sorted by their ids, which begin with the time.
 */
export class PublishedPackets implements PublishedEventSource {
  constructor(
    private readonly collection: Collection<PacketDocument>,
    private readonly nowMs: () => number,
  ) {}

  async list(after: string | null, count: number, call: Call): Promise<PublishedPage> {
    const now = this.nowMs();
    const begin = after ?? idsFrom(now);
    if (after === null) return { entries: [], next: begin, more: false };
    const found = await this.collection
      .find<Pick<PacketDocument, '_id' | 'arrival' | 'receivedAt'>>(
        { retailer: call.retailer, _id: { $gt: begin, $lt: idsFrom(now - inTransitMs) } },
        {
          projection: { arrival: 1, receivedAt: 1 },
          sort: { _id: 1 },
          limit: count,
          hint: packetIndexes.arrival.name,
          ...majorityRead(call),
        },
      )
      .toArray();
    const entries = found.map(({ _id: id, arrival, receivedAt }) => ({
      id,
      at: receivedAt.toISOString(),
      events: [arrival?.accepted, arrival?.converted].filter((event) => event !== undefined),
    }));
    const last = found.at(-1);
    if (last && found.length === count) return { entries, next: last._id, more: true };
    const settled = idsFrom(now - cursorOverlapMs);
    return { entries, next: begin > settled ? begin : settled, more: false };
  }

  async republish(ids: readonly string[], call: Call): Promise<readonly string[]> {
    const found = await this.collection
      .find<PacketWithoutBytes>(
        { _id: { $in: [...ids] }, retailer: call.retailer },
        { projection: { raw: 0, outbox: 0 }, ...majorityRead(call) },
      )
      .toArray();
    return found.flatMap(eventsOfArrival).map(({ text }) => text);
  }
}
