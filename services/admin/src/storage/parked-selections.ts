import { databaseTimeoutMs, type CollectionDeclaration } from '@receipts/storage';
import type { Collection } from 'mongodb';

/** The parked messages that a call applies to. */
export interface ParkedSelection {
  readonly ids: readonly string[];
  /** When they were selected. Messages parked later, or again, are not affected by the call. */
  readonly at: Date;
}

export interface ParkedSelectionDocument extends ParkedSelection {
  /** The id of the call. */
  readonly _id: string;
}

/** Longer than idempotency keys are remembered. */
const keptSeconds = 3 * 24 * 60 * 60;

export const parkedSelectionsDeclaration: CollectionDeclaration = {
  name: 'parked_selections',
  indexes: [{ name: 'expiry', key: { at: 1 }, expireAfterSeconds: keptSeconds }],
};

/** Makes a call that is executed again after a crash apply to the same messages as the first time. */
export class ParkedSelections {
  constructor(private readonly collection: Collection<ParkedSelectionDocument>) {}

  async of(callId: string, select: () => Promise<ParkedSelection>): Promise<ParkedSelection> {
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

  private readonly timeLimit = () => AbortSignal.timeout(databaseTimeoutMs);
}
