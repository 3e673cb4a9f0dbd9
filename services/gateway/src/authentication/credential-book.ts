import type { ClientEventData, Credential } from '@receipts/contracts';
import { SingleFlight } from '@receipts/concurrency';
import { ServiceError, unavailable, type Log } from '@receipts/kernel';
import { LRUCache } from 'lru-cache';
import { KnownCredential, type OpenSeal } from './credential';

/** The source of credentials: admin. */
export interface CredentialSource {
  list(after: string | undefined): Promise<{ credentials: readonly Credential[]; next: string | null }>;
  find(key: string): Promise<Credential | null>;
}

export interface CredentialBookOptions {
  readonly source: CredentialSource;
  readonly openSeal: OpenSeal;
  readonly log: Log;
  readonly now?: () => number;
}

/** An unknown key is not looked up again during this time. */
const unknownKeptMs = 1_000;
const unknownKeptMax = 10_000;
/** Limits the load that guessed keys cause on admin. */
const lookupsPerSecondMax = 100;
/** The first query may have been sent before the change that an event announces. */
const lookupAttemptsMax = 2;

const identityOf = ({
  retailer,
  authentication,
  id,
}: Pick<Credential, 'retailer' | 'authentication' | 'id'>) => `${retailer}/${authentication}/${id}`;

/** A changed client, as events announce it. */
type ChangedClient = Pick<
  ClientEventData,
  'authentication' | 'id' | 'key' | 'previous_key' | 'revoked' | 'version'
>;

/**
 * All credentials, in memory: a snapshot whenever the broker connects, and a query to admin for a key that is new or that
 * an event has changed.
 */
export class CredentialBook {
  private readonly byKey = new Map<string, KnownCredential>();
  private readonly keyOf = new Map<string, string>();
  /** The changes of keys that events have announced and that have not been read yet. */
  private readonly changed = new Map<string, { readonly identity: string; readonly version: number }>();
  private readonly unknown: LRUCache<string, true>;
  private readonly lookups = new SingleFlight<KnownCredential | undefined>();
  private readonly now: () => number;
  private lookupSecond = 0;
  private lookupCount = 0;
  /** True after the first snapshot. Before that, every key would need a query to admin. */
  isLoaded = false;

  constructor(private readonly options: CredentialBookOptions) {
    this.now = options.now ?? Date.now;
    this.unknown = new LRUCache({
      max: unknownKeptMax,
      ttl: unknownKeptMs,
      ttlResolution: 0,
      perf: { now: this.now },
    });
  }

  /** The credential for a key, if it is in memory. */
  get(key: string): KnownCredential | undefined {
    return this.byKey.get(key);
  }

  /**
   * The credential for a key, queried from admin if it is not in memory. Concurrent queries for one key are merged.
   * @throws ServiceError 503 when admin does not reply.
   */
  find(key: string): Promise<KnownCredential | undefined> {
    const known = this.byKey.get(key);
    if (known) return Promise.resolve(known);
    if (this.unknown.has(key)) return Promise.resolve(undefined);
    return this.lookups.run(key, () => this.lookUp(key));
  }

  private async lookUp(key: string): Promise<KnownCredential | undefined> {
    // A key that an event has named is no guess.
    if (!this.changed.has(key)) this.countLookup();
    for (let attempt = 1; attempt <= lookupAttemptsMax; attempt++) {
      const credential = await this.options.source.find(key);
      if (credential && this.isOutdated(credential)) continue;
      if (credential) this.apply(credential);
      const found = this.byKey.get(key);
      if (!found) this.unknown.set(key, true);
      return found;
    }
    throw new ServiceError(unavailable, { internal: 'the credential is older than its last event' });
  }

  private countLookup(): void {
    const second = Math.floor(this.now() / 1000);
    if (second !== this.lookupSecond) {
      this.lookupSecond = second;
      this.lookupCount = 0;
    }
    if (++this.lookupCount > lookupsPerSecondMax) {
      throw new ServiceError(unavailable, { internal: 'too many unknown keys' });
    }
  }

  /** True for a credential that was read before the change that an event has announced. */
  private isOutdated(credential: Credential): boolean {
    const change = this.changed.get(credential.key);
    return change?.identity === identityOf(credential) && credential.version < change.version;
  }

  /** Stores a credential, unless a newer version is already stored or announced. */
  apply(credential: Credential): void {
    if (this.isOutdated(credential)) return;
    const identity = identityOf(credential);
    const earlierKey = this.keyOf.get(identity);
    const earlier = earlierKey === undefined ? undefined : this.byKey.get(earlierKey);
    if (earlier && earlier.credential.version > credential.version) return;
    if (earlierKey !== undefined && earlierKey !== credential.key) this.byKey.delete(earlierKey);
    this.keyOf.set(identity, credential.key);
    this.byKey.set(credential.key, new KnownCredential(credential, this.options.openSeal));
    this.unknown.delete(credential.key);
    this.changed.delete(credential.key);
  }

  /**
   * Handles an event. The previous version of the credential is never used again: after a revocation, all requests are
   * rejected; after any other change, the next request queries the credential, because events contain neither its secret
   * nor its revoked tokens.
   */
  follow({ retailer, data }: { readonly retailer: string; readonly data: ChangedClient }): void {
    const { authentication, id, key, previous_key: previousKey, revoked, version } = data;
    const known = this.byKey.get(key);
    const identity = identityOf({ retailer, authentication, id });
    const isKnown = known !== undefined && identityOf(known.credential) === identity;
    if (isKnown && known.credential.version >= version) return;
    if (previousKey !== null) this.forget(previousKey, identity);
    this.unknown.delete(key);
    if (revoked && isKnown) {
      this.apply({ ...known.credential, revoked, version });
      return;
    }
    this.byKey.delete(key);
    const announced = this.changed.get(key);
    if (announced?.identity !== identity || announced.version < version) {
      this.changed.set(key, { identity, version });
    }
  }

  /** Forgets a key that the client has replaced, unless another client has it now. */
  private forget(key: string, identity: string): void {
    const known = this.byKey.get(key);
    if (known && identityOf(known.credential) === identity) this.byKey.delete(key);
    if (this.changed.get(key)?.identity === identity) this.changed.delete(key);
  }

  /** Reads all credentials again, unless the signal is aborted. @throws Error if admin does not reply */
  async readAll(signal?: AbortSignal): Promise<void> {
    const before = new Set(this.byKey.values());
    const seen = new Set<string>();
    let after: string | undefined;
    do {
      const page = await this.options.source.list(after);
      if (signal?.aborted) return;
      for (const credential of page.credentials) {
        this.apply(credential);
        seen.add(credential.key);
      }
      after = page.next ?? undefined;
    } while (after !== undefined);
    for (const [key, known] of this.byKey) {
      if (!seen.has(key) && before.has(known)) this.byKey.delete(key);
    }
    this.isLoaded = true;
    this.options.log.info('credentials read', { count: this.byKey.size });
  }
}
