import { adminEvents, type ClientEventData, type Credential } from '@receipts/contracts';
import { SingleFlight } from '@receipts/concurrency';
import { Copy } from '@receipts/host';
import { ServiceError, unavailable, type Log } from '@receipts/kernel';
import { on } from '@receipts/messaging';
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

type Identified = Pick<Credential, 'retailer' | 'authentication' | 'id'>;
const identityOf = ({ retailer, authentication, id }: Identified) => `${retailer}/${authentication}/${id}`;

/** A changed client, as events announce it. */
type ChangedClient = Pick<ClientEventData, 'authentication' | 'id' | 'key' | 'revoked' | 'version'>;

/** The copy of all credentials, by key, and a query to admin for a key that is new or that an event has changed. */
export class CredentialBook {
  readonly copy: Copy<KnownCredential>;
  /** Keys that events have named. They are no guesses. */
  private readonly announced = new Set<string>();
  private readonly unknown: LRUCache<string, true>;
  private readonly lookups = new SingleFlight<KnownCredential | undefined>();
  private readonly now: () => number;
  private lookupSecond = 0;
  private lookupCount = 0;

  constructor(private readonly options: CredentialBookOptions) {
    const { source, log } = options;
    this.now = options.now ?? Date.now;
    this.unknown = new LRUCache({
      max: unknownKeptMax,
      ttl: unknownKeptMs,
      ttlResolution: 0,
      perf: { now: this.now },
    });
    const { clientCreated, clientUpdated, clientRevoked } = adminEvents;
    this.copy = new Copy<KnownCredential>({
      name: 'credentials',
      events: on([clientCreated, clientUpdated, clientRevoked], async (events) => {
        for (const event of events) this.follow(event);
      }),
      log,
      keyOf: ({ credential }) => identityOf(credential),
      lookups: { key: ({ credential }) => credential.key },
      list: async (after) => {
        const { credentials, next } = await source.list(after);
        return { records: credentials.map((credential) => this.known(credential)), next };
      },
    });
  }

  /** The credential for a key, if it is in memory. */
  get(key: string): KnownCredential | undefined {
    return this.copy.getBy('key', key);
  }

  /**
   * The credential for a key, queried from admin if it is not in memory. Concurrent queries for one key are merged.
   * @throws ServiceError 503 when admin does not reply.
   */
  find(key: string): Promise<KnownCredential | undefined> {
    const known = this.get(key);
    if (known) return Promise.resolve(known);
    if (this.unknown.has(key)) return Promise.resolve(undefined);
    return this.lookups.run(key, () => this.lookUp(key));
  }

  /**
   * Handles an event. The previous version of the credential is never used again: after a revocation, all requests are
   * rejected; after any other change, the next request queries the credential, because events contain neither its secret
   * nor its revoked tokens.
   */
  follow({ retailer, data }: { readonly retailer: string; readonly data: ChangedClient }): void {
    const { authentication, id, key, revoked, version } = data;
    const identity = identityOf({ retailer, authentication, id });
    const known = this.copy.get(identity)?.credential;
    this.unknown.delete(key);
    if (revoked && known?.key === key) {
      void this.copy.apply([this.known({ ...known, revoked, version })]);
      return;
    }
    this.announced.add(key);
    this.copy.outdate(identity, version);
  }

  private known(credential: Credential): KnownCredential {
    return new KnownCredential(credential, this.options.openSeal);
  }

  private async lookUp(key: string): Promise<KnownCredential | undefined> {
    if (!this.announced.has(key)) this.countLookup();
    for (let attempt = 1; attempt <= lookupAttemptsMax; attempt++) {
      const credential = await this.options.source.find(key);
      if (credential) await this.copy.apply([this.known(credential)]);
      const found = this.get(key);
      // A credential that is not kept was read before the change that an event has announced.
      if (credential && !found) continue;
      if (!found) this.unknown.set(key, true);
      this.announced.delete(key);
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
}
