import { databaseTimeout, type CollectionDeclaration } from '@receipts/storage';
import type { Collection } from 'mongodb';

/** The dead letters that a call applies to. */
export interface DeadLetterSelection {
  readonly ids: readonly string[];
  /** When they were selected. Messages that are dead-lettered later, or again, are not affected by the call. */
  readonly at: Date;
}

export interface DeadLetterSelectionDocument extends DeadLetterSelection {
  /** The id of the call. */
  readonly _id: string;
}

/** Longer than the lifetime of idempotency keys. */
const keptSeconds = 3 * 24 * 60 * 60;

export const deadLetterSelectionsDeclaration: CollectionDeclaration = {
  name: 'dead_letter_selections',
  indexes: [{ name: 'expiry', key: { at: 1 }, expireAfterSeconds: keptSeconds }],
};

/** Ensures that a call retried after a crash applies to the same messages as before. */
export class DeadLetterSelections {
  constructor(private readonly collection: Collection<DeadLetterSelectionDocument>) {}

  async of(callId: string, select: () => Promise<DeadLetterSelection>): Promise<DeadLetterSelection> {
    const known = await this.collection.findOne({ _id: callId }, { signal: this.timeLimit() });
    if (known) return known;
    const selection = await select();
    const kept = await this.collection.findOneAndUpdate(
      { _id: callId },
      { $setOnInsert: selection },
      { upsert: true, returnDocument: 'after', signal: this.timeLimit() },
    );
    return kept ?? selection;
  }

  private readonly timeLimit = databaseTimeout;
}
