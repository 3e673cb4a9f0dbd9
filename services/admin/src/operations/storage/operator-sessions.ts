import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CollectionDeclaration } from '@receipts/storage';
import type { Collection } from 'mongodb';
import { expiryIndex, hashOf, minuteMs, Sessions, type SessionDocument } from '../../pages/storage/sessions';

export interface OperatorSessionDocument extends SessionDocument {
  /** The name that the operator has given. */
  readonly operator: string;
  /** Shows whether the operator's token is still the token that was used to sign in; see `sealOf`. */
  readonly seal: string;
}

export const operatorSessionsDeclaration: CollectionDeclaration = {
  name: 'operator_sessions',
  indexes: [expiryIndex],
};

const limits = { idleMs: 30 * minuteMs, lifeMs: 8 * 60 * minuteMs };

export const operatorSessionSeconds = limits.lifeMs / 1000;

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
  private readonly sessions: Sessions<OperatorSessionDocument>;

  /** @param token the operator's token; undefined disables signing in */
  constructor(
    collection: Collection<OperatorSessionDocument>,
    private readonly token: string | undefined,
  ) {
    this.sessions = new Sessions(collection, limits);
  }

  /** @returns the secret for the cookie; undefined for a wrong token */
  async begin(
    given: { readonly token: string; readonly operator: string },
    now: Date,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { token } = this;
    // Hashes have the same length, so the comparison does not reveal the token's length.
    if (token === undefined || !isSame(hashOf(given.token), hashOf(token))) return undefined;
    const { operator } = given;
    return this.sessions.begin((secret) => ({ operator, seal: sealOf(secret, token) }), now, signal);
  }

  /** @param isAttended false for requests from the page's script, which do not count as activity */
  async find(
    secret: string,
    isAttended: boolean,
    now: Date,
    signal: AbortSignal,
  ): Promise<OperatorSessionDocument | undefined> {
    const { sessions, token } = this;
    if (token === undefined) return undefined;
    const found = await sessions.find(secret, now, signal);
    if (!found || !isSame(found.seal, sealOf(secret, token))) return undefined;
    if (isAttended) await sessions.extend(found, now, signal);
    return found;
  }

  end(secret: string, signal: AbortSignal): Promise<void> {
    return this.sessions.end(secret, signal);
  }

  endAll(signal: AbortSignal): Promise<void> {
    return this.sessions.endAll({}, signal);
  }
}
