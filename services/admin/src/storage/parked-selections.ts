import { databaseTimeoutMs, type CollectionDeclaration } from '@receipts/storage';
import type { Collection } from 'mongodb';

/** The parked messages that a call is about. */
export interface ParkedSelection {
  readonly ids: readonly string[];
  /** When they were looked for: what is parked later, or again, is none of the call's business. */
  readonly at: Date;
}

export interface ParkedSelectionDocument extends ParkedSelection {
  /** The id of the call. */
  readonly _id: string;
}

/** Longer than any key is remembered. */
const keptSeconds = 3 * 24 * 60 * 60;

export const parkedSelectionsDeclaration: CollectionDeclaration = {
  name: 'parked_selections',
  indexes: [{ name: 'expiry', key: { at: 1 }, expireAfterSeconds: keptSeconds }],
};

/** Makes a call that is executed again, after a death, be about the same messages as the first time. */
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
