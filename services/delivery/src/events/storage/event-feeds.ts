import { idTimeMs, newId } from '@receipts/kernel';
import type { CollectionDeclaration } from '@receipts/storage';
import type { Collection } from 'mongodb';

/** A retailer whose events are recorded for the feed. */
export interface FeedDocument {
  readonly _id: string;
  /** A new recording begins after an interruption; cursors of an earlier recording are invalid. */
  readonly recording: string;
  readonly readAt: Date;
}

export const feedsDeclaration: CollectionDeclaration = {
  name: 'event_feeds',
  indexes: [{ name: 'by_reading', key: { readAt: 1 } }],
};

/** After this time without a reader, events are no longer recorded. */
export const feedIdleMs = 30 * 24 * 60 * 60_000;
const noteReadingEveryMs = 60 * 60_000;

export class EventFeeds {
  constructor(private readonly collection: Collection<FeedDocument>) {}

  /** Records that the feed was read; starts the recording if necessary. */
  async read(
    retailer: string,
    now: Date,
    signal: AbortSignal,
  ): Promise<{ recording: string; isNew: boolean }> {
    const known = await this.collection.findOne({ _id: retailer }, { signal });
    const age = known ? now.getTime() - known.readAt.getTime() : Infinity;
    if (known && age < noteReadingEveryMs) return { recording: known.recording, isNew: false };
    const isNew = age >= feedIdleMs;
    const fresh = newId(now.getTime());
    const saved = await this.collection
      .findOneAndUpdate(
        // Concurrent readers race to start the recording; those that lose join it.
        { _id: retailer, ...(known ? { recording: known.recording } : { recording: { $exists: false } }) },
        { $set: { readAt: now, ...(isNew && { recording: fresh }) } },
        { upsert: !known, returnDocument: 'after', signal },
      )
      .catch((error: unknown) => {
        if ((error as { code?: unknown }).code === 11_000) return null;
        throw error;
      });
    if (saved) return { recording: saved.recording, isNew };
    return this.read(retailer, now, signal);
  }

  /** The retailers among these whose events are recorded. */
  async active(retailers: readonly string[], now: Date, signal: AbortSignal): Promise<Set<string>> {
    const readAt = { $gt: new Date(now.getTime() - feedIdleMs) };
    const found = await this.collection
      .find({ _id: { $in: [...retailers] }, readAt }, { projection: { _id: 1 }, signal })
      .toArray();
    return new Set(found.map(({ _id }) => _id));
  }

  /** All retailers whose events are recorded, with the start of the recording. */
  async begun(now: Date, signal: AbortSignal): Promise<Map<string, Date>> {
    const readAt = { $gt: new Date(now.getTime() - feedIdleMs) };
    const found = await this.collection.find({ readAt }, { projection: { recording: 1 }, signal }).toArray();
    return new Map(found.map(({ _id, recording }) => [_id, new Date(idTimeMs(recording))]));
  }
}
