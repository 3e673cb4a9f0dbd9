import type { Call } from '@receipts/kernel';
import type { Vocabulary } from '@receipts/search';
import {
  BatchedUpdates,
  databaseTimeoutMs,
  deadlineSignal,
  type OutboxItem,
  type OutboxRelay,
} from '@receipts/storage';
import type { Collection } from 'mongodb';
import type { IdentifierRecord } from '../domain/identifier';
import { searchOf } from '../domain/identifier-search';
import type { IdentifierDocument } from './identifiers';

/** The state of an identifier that changes are applied to. */
interface IdentifierState {
  readonly retailer: string;
  readonly record: IdentifierRecord;
  readonly changedBy: readonly string[];
}

export interface IdentifierChange {
  /** Pure. Returning the same record means no change. */
  readonly decide: (current: IdentifierRecord) => IdentifierRecord;
  /** Returns the events of the change. */
  readonly tell: (next: IdentifierRecord) => readonly OutboxItem[];
}

/** Changes identifiers by compare-and-set on their version, with the events in the same write. */
export class IdentifierChanges {
  private readonly changes: BatchedUpdates<IdentifierDocument, IdentifierState>;

  constructor(
    collection: Collection<IdentifierDocument>,
    relay: Pick<OutboxRelay<IdentifierDocument>, 'enqueue'>,
    vocabulary: Pick<Vocabulary, 'learnSoon'>,
  ) {
    this.changes = new BatchedUpdates({
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
        relay.enqueue([{ _id, items }]);
        const deadline = Date.now() + databaseTimeoutMs;
        return vocabulary.learnSoon([{ retailer, search: searchOf(record) }], { deadline });
      },
    });
  }

  /** @returns the identifier after the change; undefined if the retailer has no such document */
  async change(
    id: string,
    { decide, tell }: IdentifierChange,
    call: Call,
  ): Promise<IdentifierRecord | undefined> {
    const state = await this.changes.change(id, {
      retailer: call.retailer,
      cause: call.id,
      signal: deadlineSignal(call, undefined, Infinity),
      decide: (before) => {
        const decided = decide(before.record);
        if (decided === before.record) return undefined;
        const record = { ...decided, version: before.record.version + 1 };
        return { state: { ...before, record }, outbox: tell(record) };
      },
    });
    return state?.record;
  }
}
