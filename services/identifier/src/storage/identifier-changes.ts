import type { Call } from '@receipts/kernel';
import type { Vocabulary } from '@receipts/search';
import { guarded, databaseTimeoutMs, VersionedChanges, type OutboxItem, type Relay } from '@receipts/storage';
import type { Collection } from 'mongodb';
import type { IdentifierRecord } from '../domain/identifier';
import { searchOf } from '../domain/identifier-search';
import type { IdentifierDocument } from './identifiers';

/** An identifier between two changes. */
interface IdentifierState {
  readonly retailer: string;
  readonly record: IdentifierRecord;
  /** The messages that changed it, the latest last. */
  readonly changedBy: readonly string[];
}

export interface IdentifierChange {
  /** Pure. The same record means that nothing changes. */
  readonly decide: (current: IdentifierRecord) => IdentifierRecord;
  /** What there is to tell of it. */
  readonly tell: (next: IdentifierRecord) => readonly OutboxItem[];
}

/** A message that the broker delivers again was among the latest ones, as it keeps back few at a time. */
const changedByMax = 64;

/** Changes identifiers, each by compare-and-set on its version, with what is told of the change in the same write. */
export class IdentifierChanges {
  private readonly changes: VersionedChanges<IdentifierDocument, IdentifierState>;

  constructor(
    collection: Collection<IdentifierDocument>,
    relay: Pick<Relay<IdentifierDocument, string>, 'nudge'>,
    vocabulary: Pick<Vocabulary, 'learn'>,
  ) {
    this.changes = new VersionedChanges({
      collection,
      stateOf: (document): IdentifierState => ({
        retailer: document.retailer,
        record: document,
        changedBy: document.changedBy ?? [],
      }),
      updateOf: ({ record, changedBy }) => {
        const { properties, updatedAt } = record;
        return { $set: { properties, updatedAt, search: searchOf(record), changedBy } };
      },
      saved: (_id, items, { retailer, record }) => {
        relay.nudge([{ _id, items }]);
        const deadline = Date.now() + databaseTimeoutMs;
        return vocabulary.learn([{ retailer, search: searchOf(record) }], { deadline });
      },
    });
  }

  /** @returns the identifier after the change; undefined when the retailer has no such document */
  async change(
    id: string,
    { decide, tell }: IdentifierChange,
    call: Call,
  ): Promise<IdentifierRecord | undefined> {
    const state = await guarded(() =>
      this.changes.change(id, {
        retailer: call.retailer,
        signal: AbortSignal.timeout(Math.max(0, call.deadline - Date.now())),
        decide: (before) => {
          const unchanged = { state: before, outbox: [] };
          // The broker delivers a message again when its first reader dies between the write and the answer.
          if (before.changedBy.includes(call.id)) return unchanged;
          const decided = decide(before.record);
          if (decided === before.record) return unchanged;
          const record = { ...decided, version: before.record.version + 1 };
          const changedBy = [...before.changedBy, call.id].slice(-changedByMax);
          return { state: { ...before, record, changedBy }, outbox: tell(record) };
        },
      }),
    );
    return state?.record;
  }
}
