import type { CollectionDeclaration } from '@receipts/storage';
import type { Collection } from 'mongodb';

/** The authenticator of a user. */
export interface SecondFactorDocument {
  /** The user's address. */
  readonly _id: string;
  readonly retailer: string;
  /** The authenticator's secret, encrypted. */
  readonly secret: string;
  /** The last period whose code was used. */
  readonly usedPeriod: number;
  /** The hashes of the recovery codes that have not been used. */
  readonly recovery: readonly string[];
}

export const secondFactorsDeclaration: CollectionDeclaration = { name: 'portal_second_factors', indexes: [] };

/** The second factors of portal users. */
export class SecondFactors {
  constructor(private readonly collection: Collection<SecondFactorDocument>) {}

  find(email: string, signal: AbortSignal): Promise<SecondFactorDocument | null> {
    return this.collection.findOne({ _id: email }, { signal });
  }

  async set({ _id, ...fields }: SecondFactorDocument, signal: AbortSignal): Promise<void> {
    await this.collection.replaceOne({ _id }, fields, { upsert: true, signal });
  }

  async remove(email: string, signal: AbortSignal): Promise<void> {
    await this.collection.deleteOne({ _id: email }, { signal });
  }

  /** @returns false if a code of this period or a later one has been used */
  async usePeriod(email: string, period: number, signal: AbortSignal): Promise<boolean> {
    const filter = { _id: email, usedPeriod: { $lt: period } };
    const { modifiedCount } = await this.collection.updateOne(
      filter,
      { $set: { usedPeriod: period } },
      { signal },
    );
    return modifiedCount === 1;
  }

  /** @returns false if there is no such recovery code, or it has been used */
  async useRecovery(email: string, hash: string, signal: AbortSignal): Promise<boolean> {
    const filter = { _id: email, recovery: hash };
    const { modifiedCount } = await this.collection.updateOne(
      filter,
      { $pull: { recovery: hash } },
      { signal },
    );
    return modifiedCount === 1;
  }
}
