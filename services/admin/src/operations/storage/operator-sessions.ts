import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CollectionDeclaration } from '@receipts/storage';
import type { Collection } from 'mongodb';
import { expiryIndex, hashOf, minuteMs, Sessions, type SessionDocument } from '../../pages/storage/sessions';

export interface OperatorSessionDocument extends SessionDocument {
  /** The name of the operator's token, or the address that the identity provider has confirmed. */
  readonly operator: string;
  /** Shows whether the operator may still sign in as before; see `sealOf`. */
  readonly seal: string;
}

export const operatorSessionsDeclaration: CollectionDeclaration = {
  name: 'operator_sessions',
  indexes: [expiryIndex],
};

const limits = { idleMs: 30 * minuteMs, lifeMs: 8 * 60 * minuteMs };

export const operatorSessionSeconds = limits.lifeMs / 1000;

/**
 * A keyed hash of the credential, with the cookie's secret as the key. The database does not reveal tokens, and changing
 * an operator's token ends the operator's sessions.
 */
const sealOf = (secret: string, credential: string) =>
  createHmac('sha256', secret).update(credential).digest('base64url');

const isSame = (a: string, b: string) =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** Who may sign in to the operations pages. */
export interface Operators {
  /** The tokens of operators, by name. */
  readonly tokens: Readonly<Record<string, string>>;
  /** The addresses of operators who sign in with an identity provider, in lower case. */
  readonly emails: readonly string[];
}

/** The sessions of the operations pages. */
export class OperatorSessions {
  private readonly sessions: Sessions<OperatorSessionDocument>;

  constructor(
    collection: Collection<OperatorSessionDocument>,
    private readonly operators: Operators,
  ) {
    this.sessions = new Sessions(collection, limits);
  }

  /** @returns the operator's name, and the secret for the cookie; undefined for a wrong token */
  async begin(
    given: string,
    now: Date,
    signal: AbortSignal,
  ): Promise<{ readonly operator: string; readonly secret: string } | undefined> {
    // Hashes have the same length, so the comparison does not reveal a token's length. All are compared, so that the
    // time does not reveal whose token it is.
    const hash = hashOf(given);
    const [found] = Object.entries(this.operators.tokens).filter(([, token]) => isSame(hash, hashOf(token)));
    if (!found) return undefined;
    const [operator, token] = found;
    return { operator, secret: await this.start(operator, token, now, signal) };
  }

  /**
   * Signs in an operator whose address an identity provider has confirmed.
   * @returns the secret for the cookie; undefined for anybody else
   */
  async beginAs(email: string, now: Date, signal: AbortSignal): Promise<string | undefined> {
    const credential = this.credentialOf(email);
    return this.operators.emails.includes(email) && credential !== undefined
      ? this.start(email, credential, now, signal)
      : undefined;
  }

  private start(operator: string, credential: string, now: Date, signal: AbortSignal): Promise<string> {
    return this.sessions.begin((secret) => ({ operator, seal: sealOf(secret, credential) }), now, signal);
  }

  private credentialOf(operator: string): string | undefined {
    const { tokens, emails } = this.operators;
    if (emails.includes(operator)) return `confirmed ${operator}`;
    return Object.hasOwn(tokens, operator) ? tokens[operator] : undefined;
  }

  /** @param isAttended false for requests from the page's script, which do not count as activity */
  async find(
    secret: string,
    isAttended: boolean,
    now: Date,
    signal: AbortSignal,
  ): Promise<OperatorSessionDocument | undefined> {
    const { sessions } = this;
    const found = await sessions.find(secret, now, signal);
    const credential = found && this.credentialOf(found.operator);
    if (!found || credential === undefined || !isSame(found.seal, sealOf(secret, credential)))
      return undefined;
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
