import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { CollectionDeclaration } from '@receipts/storage';
import type { Collection } from 'mongodb';

export interface OperatorSessionDocument {
  /** A hash of the secret in the cookie: who reads the database cannot use it. */
  readonly _id: string;
  /** What the operator said their name is. */
  readonly operator: string;
  /** Tells whether the operator's token is still the one that the session was begun with; see `sealOf`. */
  readonly seal: string;
  /** Stands in every form of the session. */
  readonly csrf: string;
  readonly created: Date;
  readonly expires: Date;
}

export const operatorSessionsDeclaration: CollectionDeclaration = {
  name: 'operator_sessions',
  indexes: [{ name: 'expiry', key: { expires: 1 }, expireAfterSeconds: 0 }],
};

const minuteMs = 60_000;
/** A session ends after so long without anybody at the screen, and after so long in all. */
const idleMs = 30 * minuteMs;
const lifeMs = 8 * 60 * minuteMs;
const secretBytes = 32;

export const operatorSessionSeconds = lifeMs / 1000;

const idOf = (secret: string) => createHash('sha256').update(secret).digest('base64url');
const newSecret = () => randomBytes(secretBytes).toString('base64url');

/**
 * The token under a key that only the cookie has: whoever reads the database learns nothing of the token from it, and a
 * platform that is given another token has ended all sessions.
 */
const sealOf = (secret: string, token: string) =>
  createHmac('sha256', secret).update(token).digest('base64url');

const isSame = (a: string, b: string) =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** Who is signed in to the operations pages. */
export class OperatorSessions {
  /** @param token the operator's; undefined where nobody may act as the operator */
  constructor(
    private readonly collection: Collection<OperatorSessionDocument>,
    private readonly token: string | undefined,
  ) {}

  /** @returns the secret for the cookie, undefined when the token is not the operator's */
  async begin(
    given: { readonly token: string; readonly operator: string },
    now: Date,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { token } = this;
    // Digests have one length, so that comparing them tells nothing about the length of the token either.
    if (token === undefined || !isSame(idOf(given.token), idOf(token))) return undefined;
    const secret = newSecret();
    const session = {
      _id: idOf(secret),
      operator: given.operator,
      seal: sealOf(secret, token),
      csrf: newSecret(),
      created: now,
      expires: new Date(now.getTime() + idleMs),
    };
    await this.collection.insertOne(session, { signal });
    return secret;
  }

  /** @param isAttended false where a script of the page asks, which is no sign of anybody being there */
  async find(
    secret: string,
    isAttended: boolean,
    now: Date,
    signal: AbortSignal,
  ): Promise<OperatorSessionDocument | undefined> {
    const { token } = this;
    if (token === undefined) return undefined;
    const found = await this.collection.findOne({ _id: idOf(secret) }, { signal });
    if (!found || found.expires.getTime() <= now.getTime()) return undefined;
    if (!isSame(found.seal, sealOf(secret, token))) return undefined;
    const end = Math.min(now.getTime() + idleMs, found.created.getTime() + lifeMs);
    if (isAttended && end - found.expires.getTime() > minuteMs) {
      await this.collection.updateOne({ _id: found._id }, { $set: { expires: new Date(end) } }, { signal });
    }
    return found;
  }

  async end(secret: string, signal: AbortSignal): Promise<void> {
    await this.collection.deleteOne({ _id: idOf(secret) }, { signal });
  }

  async endAll(signal: AbortSignal): Promise<void> {
    await this.collection.deleteMany({}, { signal });
  }
}
