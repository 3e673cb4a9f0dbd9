import type { CollectionDeclaration } from '@receipts/storage';
import type { Collection } from 'mongodb';
import { expiryIndex, hashOf, minuteMs } from '../../pages/storage/sessions';

export interface PortalSignInDocument {
  /** A hash of the address, because mistyped addresses may belong to others. */
  readonly _id: string;
  readonly count: number;
  readonly expires: Date;
}

export const portalSignInsDeclaration: CollectionDeclaration = {
  name: 'portal_sign_ins',
  indexes: [expiryIndex],
};

const attemptsMax = 10;
const windowMs = 15 * minuteMs;

/** Counts attempts to sign in by address, whether or not the user exists. */
export class PortalSignIns {
  constructor(private readonly collection: Collection<PortalSignInDocument>) {}

  /**
   * Counts an attempt before the password is checked, so that concurrent attempts count as well. False if there were
   * too many.
   */
  async isAllowed(email: string, now: Date, signal: AbortSignal): Promise<boolean> {
    const _id = hashOf(email);
    const expires = new Date(now.getTime() + windowMs);
    await this.collection.updateOne(
      { _id, expires: { $lte: now } },
      { $set: { count: 0, expires } },
      { signal },
    );
    const counted = await this.collection.findOneAndUpdate(
      { _id },
      { $inc: { count: 1 }, $setOnInsert: { expires } },
      { upsert: true, returnDocument: 'after', signal },
    );
    return (counted?.count ?? 0) <= attemptsMax;
  }

  async forget(email: string, signal: AbortSignal): Promise<void> {
    await this.collection.deleteOne({ _id: hashOf(email) }, { signal });
  }
}
