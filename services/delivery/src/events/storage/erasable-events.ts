import { receiptDeleted } from '@receipts/contracts';
import { parseExactly, printExactly, type EventRecord } from '@receipts/kernel';
import type { Collection } from 'mongodb';
import {
  attachmentKey,
  attachmentsOf,
  receiptsOf,
  withoutErased,
  type Erased,
} from '../domain/event-erasure';
import type { LoggedEvent } from './event-log';

const batchMax = 200;
const keysMax = 100;

/** The change of an event that is found by some of the keys; undefined if there is none. */
function changeOf(
  { about, erased: before }: LoggedEvent,
  event: EventRecord,
  keys: ReadonlySet<string>,
  erased: Erased,
): Partial<LoggedEvent> | undefined {
  if (before === erased || before === 'receipt') return undefined;
  const receipts = receiptsOf(event);
  const others = about.filter((key) => !keys.has(key));
  // A packet may contain several receipts, of which others still exist.
  const isShared = receipts.some((id) => keys.has(id)) && receipts.some((id) => others.includes(id));
  if (isShared) return { about: others };
  const left = withoutErased(event, erased);
  return { text: printExactly(left, event), about: [left.subject], erased };
}

/** An erased event is no longer found by `forgetRaw`. */
const updateOf = (change: Partial<LoggedEvent>) => ({
  $set: change,
  ...(change.erased && { $unset: { isOfPacket: '' as const } }),
});

/** Erases consumers and deleted receipts from the event log. */
export class ErasableEvents {
  constructor(private readonly collection: Collection<LoggedEvent>) {}

  /** Those of the receipts whose deletion is in the log. */
  async deletedOf(retailer: string, receiptIds: readonly string[], signal: AbortSignal): Promise<string[]> {
    if (receiptIds.length === 0) return [];
    const found = await this.collection
      .find(
        { retailer, about: { $in: [...receiptIds] }, type: receiptDeleted.type },
        { projection: { about: 1 }, signal },
      )
      .toArray();
    return found.flatMap(({ about }) => about);
  }

  /**
   * Erases a consumer, or deleted receipts, from all events about these subjects, hashes or receipts, and the names of
   * attachments that no other receipt in the log has. Events of a packet are kept until its last receipt is erased.
   * Repeating the call has no effect.
   * @returns the ids of these events
   */
  async forget(
    retailer: string,
    about: readonly string[],
    erased: Erased,
    signal: () => AbortSignal,
  ): Promise<string[]> {
    const keys = [...new Set(about)];
    const ids: string[] = [];
    for (let n = 0; n < keys.length; n += keysMax) {
      ids.push(...(await this.forgetSome(retailer, new Set(keys.slice(n, n + keysMax)), erased, signal)));
    }
    return ids;
  }

  private async forgetSome(
    retailer: string,
    keys: ReadonlySet<string>,
    erased: Erased,
    signal: () => AbortSignal,
  ): Promise<string[]> {
    const ids: string[] = [];
    const attachments = new Set<string>();
    for (let after = 0, isMore = true; isMore;) {
      const found = await this.collection
        .find({ retailer, about: { $in: [...keys] }, position: { $gt: after } }, { signal: signal() })
        .sort({ position: 1 })
        .limit(batchMax)
        .toArray();
      const updates = found.flatMap((logged) => {
        const event = parseExactly(logged.text) as EventRecord;
        for (const id of attachmentsOf(event)) attachments.add(id);
        const change = changeOf(logged, event, keys, erased);
        return change ? [{ updateOne: { filter: { _id: logged._id }, update: updateOf(change) } }] : [];
      });
      if (updates.length > 0) await this.collection.bulkWrite(updates, { signal: signal() });
      ids.push(...found.map(({ _id }) => _id));
      after = found.at(-1)?.position ?? after;
      isMore = found.length === batchMax;
    }
    const unlinked = await this.unlinked(retailer, [...attachments], signal());
    if (unlinked.length > 0) ids.push(...(await this.forget(retailer, unlinked, erased, signal)));
    return ids;
  }

  /**
   * Erases the events of packets that arrived before a time. Those that were never converted have no receipt whose
   * deletion would erase them.
   * @returns the ids of these events
   */
  async forgetRaw(retailer: string, before: Date, signal: () => AbortSignal): Promise<string[]> {
    const ids: string[] = [];
    for (;;) {
      const filter = { retailer, isOfPacket: { $exists: true }, at: { $lt: before } };
      const options = { projection: { about: 1 }, limit: batchMax, signal: signal() };
      const found = await this.collection.find(filter, options).toArray();
      if (found.length === 0) return ids;
      const subjects = found.flatMap(({ about: [subject] }) => subject ?? []);
      ids.push(...(await this.forget(retailer, subjects, 'receipt', signal)));
    }
  }

  /** Those of the attachments that no receipt in the log has. */
  private async unlinked(
    retailer: string,
    attachments: readonly string[],
    signal: AbortSignal,
  ): Promise<string[]> {
    if (attachments.length === 0) return [];
    const keys = attachments.map(attachmentKey);
    const found = await this.collection
      .find({ retailer, about: { $in: keys } }, { projection: { about: 1 }, signal })
      .toArray();
    const linked = new Set(found.flatMap(({ about }) => about));
    return attachments.filter((id) => !linked.has(attachmentKey(id)));
  }
}
