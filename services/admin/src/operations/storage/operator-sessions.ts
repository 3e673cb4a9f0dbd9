import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { CollectionDeclaration } from '@receipts/storage';
import type { Collection } from 'mongodb';

export interface OperatorSessionDocument {
  /** A hash of the secret in the cookie, so that the database's content cannot be used to sign in. */
  readonly _id: string;
  /** The name that the operator has given. */
  readonly operator: string;
  /** Shows whether the operator's token is still the token that was used to sign in; see `sealOf`. */
  readonly seal: string;
  /** The CSRF token in every form of the session. */
  readonly csrf: string;
  readonly created: Date;
  readonly expires: Date;
}

export const operatorSessionsDeclaration: CollectionDeclaration = {
  name: 'operator_sessions',
  indexes: [{ name: 'expiry', key: { expires: 1 }, expireAfterSeconds: 0 }],
};

const minuteMs = 60_000;
/** A session ends after this time without activity, or after this total time. */
const idleMs = 30 * minuteMs;
const lifeMs = 8 * 60 * minuteMs;
const secretBytes = 32;

export const operatorSessionSeconds = lifeMs / 1000;

const idOf = (secret: string) => createHash('sha256').update(secret).digest('base64url');
const newSecret = () => randomBytes(secretBytes).toString('base64url');

/**
 * A keyed hash of the token, with the cookie's secret as the key. The database does not reveal the token, and changing
 * the platform's token ends all sessions.
 */
const sealOf = (secret: string, token: string) =>
  createHmac('sha256', secret).update(token).digest('base64url');

const isSame = (a: string, b: string) =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** The sessions of the operations pages. */
export class OperatorSessions {
  /** @param token the operator's token; undefined disables signing in */
  constructor(
    private readonly collection: Collection<OperatorSessionDocument>,
    private readonly token: string | undefined,
  ) {}

  /** @returns the secret for the cookie; undefined for a wrong token */
  async begin(
    given: { readonly token: string; readonly operator: string },
    now: Date,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { token } = this;
    // Hashes have the same length, so the comparison does not reveal the token's length.
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

  /** @param isAttended false for requests from the page's script, which do not count as activity */
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
