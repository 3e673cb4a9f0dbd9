import type { Collection } from 'mongodb';
import type { Call } from '@receipts/kernel';
import {
  majorityRead,
  inTransitMs,
  cursorOverlapMs,
  type PublishedPage,
  type PublishedEventSource,
} from '@receipts/storage';
import {
  acceptedEventOf,
  convertedEventOf,
  hasContent,
  packetIndexes,
  type PacketDocument,
  type PacketWithoutBytes,
} from './packet-document';

/** A cursor: the time of a change in epoch milliseconds, followed by an id to order packets with the same time. */
const printCursor = (at: number, id = '') => `${at} ${id}`;
function parseCursor(text: string): { readonly at: Date; readonly id: string } {
  const [at = '', id = ''] = text.split(' ');
  return { at: new Date(Number(at)), id };
}

/**
 * The published events that are generated from packets, in the order in which the packets last changed. A packet may be
 * converted long after it was accepted; it is then listed a second time.
 */
export class PublishedPackets implements PublishedEventSource {
  constructor(
    private readonly collection: Collection<PacketDocument>,
    private readonly nowMs: () => number,
  ) {}

  async list(after: string | null, count: number, call: Call): Promise<PublishedPage> {
    const now = this.nowMs();
    if (after === null) return { entries: [], next: printCursor(now), more: false };
    const begin = parseCursor(after);
    const found = await this.collection
      .find<Pick<PacketDocument, '_id' | 'acceptance' | 'conversion' | 'updatedAt'>>(
        {
          retailer: call.retailer,
          updatedAt: { $gte: begin.at, $lte: new Date(now - inTransitMs) },
          $or: [{ updatedAt: { $gt: begin.at } }, { _id: { $gt: begin.id } }],
          ...hasContent,
        },
        {
          projection: { acceptance: 1, conversion: 1, updatedAt: 1 },
          sort: { updatedAt: 1, _id: 1 },
          limit: count,
          hint: packetIndexes.changed.name,
          ...majorityRead(call),
        },
      )
      .toArray();
    const entries = found.map(({ _id: id, acceptance, conversion, updatedAt }) => ({
      id,
      at: updatedAt.toISOString(),
      events: [acceptance.event, ...(conversion ? [conversion.event] : [])],
    }));
    const last = found.at(-1);
    if (last && found.length === count)
      return { entries, next: printCursor(last.updatedAt.getTime(), last._id), more: true };
    return { entries, next: printCursor(Math.max(begin.at.getTime(), now - cursorOverlapMs)), more: false };
  }

  async find(ids: readonly string[], call: Call): Promise<readonly string[]> {
    const found = await this.collection
      .find<PacketWithoutBytes>(
        { _id: { $in: [...ids] }, retailer: call.retailer, ...hasContent },
        { projection: { raw: 0, outbox: 0 }, ...majorityRead(call) },
      )
      .toArray();
    return found
      .flatMap((packet) => [acceptedEventOf(packet), convertedEventOf(packet) ?? []].flat())
      .map(({ text }) => text);
  }
}
