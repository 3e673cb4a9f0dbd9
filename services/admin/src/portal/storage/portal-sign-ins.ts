import type { CollectionDeclaration } from '@receipts/storage';
import type { Collection } from 'mongodb';
import { expiryIndex, hashOf, minuteMs } from '../../pages/storage/sessions';

/** Wrong passwords for an address, or a network from which a user has signed in. */
export interface PortalSignInDocument {
  /** A hash of the address and the network, because mistyped addresses may belong to others. */
  readonly _id: string;
  /** Absent for a network from which a user has signed in. */
  readonly count?: number;
  readonly expires: Date;
}

export const portalSignInsDeclaration: CollectionDeclaration = {
  name: 'portal_sign_ins',
  indexes: [expiryIndex],
};

/** An attempt to sign in. */
interface Attempt {
  readonly email: string;
  /** The network that counts as one caller. */
  readonly network: string;
}

/** Strangers in other networks cannot lock a user out, because this limit counts each network separately. */
const perNetworkMax = 10;
/** This limit slows down guesses from many networks. It does not apply to networks that the user has signed in from. */
const perAddressMax = 100;
const windowMs = 15 * minuteMs;
const knownMs = 30 * 24 * 60 * minuteMs;

const idsOf = ({ email, network }: Attempt) => ({
  byAddress: hashOf(email),
  byNetwork: hashOf(`${email}\n${network}`),
  known: hashOf(`known\n${email}\n${network}`),
});

/** Counts wrong passwords by address and network, whether or not the user exists. */
export class PortalSignIns {
  constructor(private readonly collection: Collection<PortalSignInDocument>) {}

  /**
   * Counts an attempt as wrong before the password is checked, so that concurrent attempts count as well. False if there
   * were too many; the password must then not be checked.
   */
  async isAllowed(attempt: Attempt, now: Date, signal: AbortSignal): Promise<boolean> {
    const { byAddress, byNetwork, known } = idsOf(attempt);
    if ((await this.count(byNetwork, now, signal)) > perNetworkMax) return false;
    if ((await this.count(byAddress, now, signal)) <= perAddressMax) return true;
    return (await this.collection.findOne({ _id: known, expires: { $gt: now } }, { signal })) !== null;
  }

  /** A right password does not count, and makes the network known. */
  async succeeded(attempt: Attempt, now: Date, signal: AbortSignal): Promise<void> {
    const { byAddress, byNetwork, known } = idsOf(attempt);
    const expires = new Date(now.getTime() + knownMs);
    await Promise.all([
      this.collection.deleteOne({ _id: byNetwork }, { signal }),
      this.collection.updateOne({ _id: byAddress, count: { $gt: 0 } }, { $inc: { count: -1 } }, { signal }),
      this.collection.updateOne({ _id: known }, { $set: { expires } }, { upsert: true, signal }),
    ]);
  }

  /** Guesses of an old password do not count for the new one. */
  async forget(attempt: Attempt, signal: AbortSignal): Promise<void> {
    const { byAddress, byNetwork } = idsOf(attempt);
    await this.collection.deleteMany({ _id: { $in: [byAddress, byNetwork] } }, { signal });
  }

  private async count(_id: string, now: Date, signal: AbortSignal): Promise<number> {
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
    return counted?.count ?? 0;
  }
}
