import { createHash, randomBytes } from 'node:crypto';
import type { Collection, Filter } from 'mongodb';

export interface SessionDocument {
  /** A hash of the secret in the cookie, so that the database's content cannot be used to sign in. */
  readonly _id: string;
  /** The CSRF token in every form of the session. */
  readonly csrf: string;
  readonly created: Date;
  readonly expires: Date;
}

export const expiryIndex = { name: 'expiry', key: { expires: 1 }, expireAfterSeconds: 0 } as const;

export const minuteMs = 60_000;
const secretBytes = 32;
const newSecret = () => randomBytes(secretBytes).toString('base64url');

export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

/** The sessions of users who have signed in. */
export class Sessions<D extends SessionDocument> {
  private readonly collection: Collection<SessionDocument>;

  /** @param limits a session ends after `idleMs` without activity, and after `lifeMs` in total */
  constructor(
    collection: Collection<D>,
    private readonly limits: { readonly idleMs: number; readonly lifeMs: number },
  ) {
    this.collection = collection as unknown as Collection<SessionDocument>;
  }

  /**
   * @param factsOf the other fields of the session with this secret
   * @returns the secret for the cookie
   */
  async begin(
    factsOf: (secret: string) => Omit<D, keyof SessionDocument>,
    now: Date,
    signal: AbortSignal,
  ): Promise<string> {
    const secret = newSecret();
    const expires = new Date(now.getTime() + this.limits.idleMs);
    const session = { ...factsOf(secret), _id: hashOf(secret), csrf: newSecret(), created: now, expires };
    await this.collection.insertOne(session, { signal });
    return secret;
  }

  /** @returns undefined if the session has ended */
  async find(secret: string, now: Date, signal: AbortSignal): Promise<D | undefined> {
    const found = await this.collection.findOne({ _id: hashOf(secret) }, { signal });
    return found && found.expires > now ? (found as D) : undefined;
  }

  /** Records activity in a session, to the minute. */
  async extend({ _id, created, expires }: D, now: Date, signal: AbortSignal): Promise<void> {
    const { idleMs, lifeMs } = this.limits;
    const end = Math.min(now.getTime() + idleMs, created.getTime() + lifeMs);
    if (end - expires.getTime() <= minuteMs) return;
    await this.collection.updateOne({ _id }, { $set: { expires: new Date(end) } }, { signal });
  }

  async end(secret: string, signal: AbortSignal): Promise<void> {
    await this.collection.deleteOne({ _id: hashOf(secret) }, { signal });
  }

  async endAll(filter: Filter<D>, signal: AbortSignal): Promise<void> {
    await this.collection.deleteMany(filter as Filter<SessionDocument>, { signal });
  }
}
