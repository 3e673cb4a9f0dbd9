import type { ClientEventData, Credential } from '@receipts/contracts';
import { pause, ServiceError, SingleFlight, unavailable, type Log } from '@receipts/kernel';
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
const refreshAttemptsMax = 5;
const refreshDelayMs = 200;

const identityOf = ({ retailer, authentication, id }: Credential) => `${retailer}/${authentication}/${id}`;

/**
 * All credentials, in memory: a snapshot whenever the broker connects, events in between, and a query to admin for a key
 * that is not known yet.
 */
export class CredentialBook {
  private readonly byKey = new Map<string, KnownCredential>();
  private readonly keyOf = new Map<string, string>();
  private readonly unknown: LRUCache<string, true>;
  private readonly lookups = new SingleFlight<KnownCredential | undefined>();
  private readonly now: () => number;
  private lookupSecond = 0;
  private lookupCount = 0;
  private closed = false;
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
    const second = Math.floor(this.now() / 1000);
    if (second !== this.lookupSecond) {
      this.lookupSecond = second;
      this.lookupCount = 0;
    }
    if (++this.lookupCount > lookupsPerSecondMax) {
      throw new ServiceError(unavailable, { internal: 'too many unknown keys' });
    }
    const credential = await this.options.source.find(key);
    if (credential) this.apply(credential);
    const found = this.byKey.get(key);
    if (!found) this.unknown.set(key, true);
    return found;
  }

  /** Stores a credential, unless a newer version is already stored. */
  apply(credential: Credential): void {
    const identity = identityOf(credential);
    const earlierKey = this.keyOf.get(identity);
    const earlier = earlierKey === undefined ? undefined : this.byKey.get(earlierKey);
    if (earlier && earlier.credential.version > credential.version) return;
    if (earlierKey !== undefined && earlierKey !== credential.key) this.byKey.delete(earlierKey);
    this.keyOf.set(identity, credential.key);
    this.byKey.set(credential.key, new KnownCredential(credential, this.options.openSeal));
    this.unknown.delete(credential.key);
  }

  /**
   * Handles an event: a revocation applies immediately; after any other change, the credential is queried, because events
   * contain no secret.
   */
  async follow({
    key,
    previous_key: previousKey,
    revoked,
    version,
  }: Pick<ClientEventData, 'key' | 'previous_key' | 'revoked' | 'version'>): Promise<void> {
    if (previousKey !== null) this.byKey.delete(previousKey);
    const known = this.byKey.get(key);
    if (revoked && known) {
      this.byKey.set(
        key,
        new KnownCredential({ ...known.credential, revoked: true, version }, this.options.openSeal),
      );
    }
    this.unknown.delete(key);
    for (let attempt = 1; !this.closed; attempt++) {
      try {
        const credential = await this.options.source.find(key);
        if (credential) this.apply(credential);
        return;
      } catch (error) {
        if (attempt < refreshAttemptsMax) await pause(refreshDelayMs * attempt);
        else {
          // The next use of the key requests the credential again, so that outdated permissions are never applied.
          this.options.log.warn('a changed credential could not be read', { error });
          this.byKey.delete(key);
          return;
        }
      }
    }
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

  close(): void {
    this.closed = true;
  }
}
