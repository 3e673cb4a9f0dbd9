import { createHash, randomBytes } from 'node:crypto';
import type { CollectionDeclaration } from '@receipts/storage';
import type { Collection } from 'mongodb';

export interface PortalSessionDocument {
  /** A hash of the token in the cookie, so that the database's content cannot be used to sign in. */
  readonly _id: string;
  readonly retailer: string;
  readonly email: string;
  /** The CSRF token in every form of the session. */
  readonly csrf: string;
  readonly created: Date;
  readonly expires: Date;
}

export const portalSessionsDeclaration: CollectionDeclaration = {
  name: 'portal_sessions',
  indexes: [
    { name: 'by_email', key: { email: 1 } },
    { name: 'expiry', key: { expires: 1 }, expireAfterSeconds: 0 },
  ],
};

const minuteMs = 60_000;
/** A session ends after this time without a request, or after this time in total. */
const idleMs = 60 * minuteMs;
const lifeMs = 12 * 60 * minuteMs;
const tokenBytes = 32;

const idOf = (token: string) => createHash('sha256').update(token).digest('base64url');
const secret = () => randomBytes(tokenBytes).toString('base64url');

/** The sessions of the portal. */
export class PortalSessions {
  constructor(private readonly collection: Collection<PortalSessionDocument>) {}

  /** @returns the token for the cookie */
  async begin(
    user: { readonly retailer: string; readonly email: string },
    now: Date,
    signal: AbortSignal,
  ): Promise<string> {
    const token = secret();
    const { retailer, email } = user;
    const expires = new Date(now.getTime() + idleMs);
    const session = { _id: idOf(token), retailer, email, csrf: secret(), created: now, expires };
    await this.collection.insertOne(session, { signal });
    return token;
  }

  async find(token: string, now: Date, signal: AbortSignal): Promise<PortalSessionDocument | undefined> {
    const found = await this.collection.findOne({ _id: idOf(token) }, { signal });
    if (!found || found.expires.getTime() <= now.getTime()) return undefined;
    const end = Math.min(now.getTime() + idleMs, found.created.getTime() + lifeMs);
    if (end - found.expires.getTime() > minuteMs) {
      await this.collection.updateOne({ _id: found._id }, { $set: { expires: new Date(end) } }, { signal });
    }
    return found;
  }

  async end(token: string, signal: AbortSignal): Promise<void> {
    await this.collection.deleteOne({ _id: idOf(token) }, { signal });
  }

  async endAll(email: string, signal: AbortSignal): Promise<void> {
    await this.collection.deleteMany({ email }, { signal });
  }
}
