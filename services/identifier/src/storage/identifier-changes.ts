import type { Vocabulary } from '@receipts/search';
import { BatchedUpdates, databaseTimeoutMs, type OutboxRelay } from '@receipts/storage';
import type { Collection } from 'mongodb';
import type { IdentifierRecord } from '../domain/identifier';
import { searchOf } from '../domain/identifier-search';
import type { IdentifierDocument } from './identifiers';

/** The state of an identifier that changes are applied to. */
export interface IdentifierState extends IdentifierRecord {
  readonly retailer: string;
  readonly changedBy: readonly string[];
}

/** Changes identifiers by compare-and-set on their version, with the events in the same write. */
export function identifierChanges(
  collection: Collection<IdentifierDocument>,
  relay: Pick<OutboxRelay<IdentifierDocument>, 'enqueue'>,
  vocabulary: Pick<Vocabulary, 'learnSoon'>,
): BatchedUpdates<IdentifierDocument, IdentifierState> {
  return new BatchedUpdates({
    collection,
    stateOf: (document): IdentifierState => ({ changedBy: [], ...document }),
    updateOf: (state) => {
      const { properties, updatedAt, changedBy } = state;
      return { $set: { properties, updatedAt, search: searchOf(state), changedBy } };
    },
    saved: (_id, items, state) => {
      relay.enqueue([{ _id, items }]);
      const deadline = Date.now() + databaseTimeoutMs;
      return vocabulary.learnSoon([{ retailer: state.retailer, search: searchOf(state) }], { deadline });
    },
  });
}
