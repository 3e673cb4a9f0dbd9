import { RetriedTask, SingleFlight } from '@receipts/concurrency';
import { ServiceError, unavailable, type Call, type EventContract, type Log } from '@receipts/kernel';
import { on, type Subscription } from '@receipts/messaging';
import type { z } from 'zod';

export interface Versioned {
  /** Increases by one with every change. */
  readonly version: number;
}

/** A page of the owner's records. */
export interface CopyPage<T> {
  readonly records: readonly T[];
  /** Where the next page starts; null on the last page. */
  readonly next: string | null;
}

/** Keeps the records of a copy, so that its service starts while their owner is unavailable. */
export interface CopyStore<T> {
  load(): AsyncIterable<T>;
  save(records: readonly T[]): Promise<void>;
}

export interface CopyOptions<T extends Versioned> {
  readonly name: string;
  readonly keyOf: (record: T) => string;
  /** Secondary keys by name; undefined where a record has no such key. */
  readonly lookups?: Readonly<Record<string, (record: T) => string | undefined>>;
  /** Requests a page of all records from the owner. */
  readonly list: (after: string | undefined) => Promise<CopyPage<T>>;
  /** Requests one record from the owner, null if it does not exist; without it, `find` returns only known records. */
  readonly request?: (key: string, call: Call) => Promise<T | null>;
  readonly store?: CopyStore<T>;
  /** The owner's events: those whose data is a record, or a subscription that uses `apply` and `outdate` itself. */
  readonly events: readonly EventContract<string, z.ZodType<T>>[] | Subscription;
  readonly log: Log;
}

const retryFirstMs = 250;
/** Short, because the events that were missed may have revoked something. */
const retryMaxMs = 1_000;
/** The broker may lose an event that it has confirmed. */
const refreshEveryMs = 300_000;

interface Lookup<T> {
  readonly keyOf: (record: T) => string | undefined;
  readonly byKey: Map<string, T>;
}

/**
 * A copy of another service's records, in memory. It has the owner's current state: it applies the owner's events, and
 * reads all records again on startup, after each connection to the broker, after an event that could not be applied, and
 * every five minutes, as events may have been lost. An older version never replaces a newer one. A record that is not known yet is requested.
 */
export class Copy<T extends Versioned> {
  /** True once all records have been read for the first time. */
  isComplete = false;
  readonly events: Subscription;
  private readonly byKey = new Map<string, T>();
  private readonly lookups: ReadonlyMap<string, Lookup<T>>;
  /** The versions below which records are outdated, although no newer one has arrived. */
  private readonly leastVersions = new Map<string, number>();
  private readonly requests = new SingleFlight<T | undefined>();
  private readonly reading: RetriedTask;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: CopyOptions<T>) {
    const { name, lookups = {}, events, log } = options;
    this.events = this.following(
      'handle' in events ? events : on(events, (changed) => this.apply(changed.map(({ data }) => data))),
    );
    this.lookups = new Map(
      Object.entries(lookups).map(([lookup, keyOf]) => [lookup, { keyOf, byKey: new Map() }]),
    );
    this.reading = new RetriedTask({
      retryFirstMs,
      retryMaxMs,
      log,
      failure: `the copy of ${name} could not be read; retrying`,
      run: (signal) => this.readAll(signal),
    });
  }

  get size(): number {
    return this.byKey.size;
  }

  get(key: string): T | undefined {
    return this.byKey.get(key);
  }

  /** @param lookup a name in `lookups` */
  getBy(lookup: string, key: string): T | undefined {
    const found = this.lookups.get(lookup);
    if (!found) throw new Error(`the copy of ${this.options.name} has no lookup ${lookup}`);
    return found.byKey.get(key);
  }

  values(): IterableIterator<T> {
    return this.byKey.values();
  }

  /**
   * The record, requested from the owner if it is not known; concurrent requests are merged. Undefined if it does not
   * exist.
   * @throws ServiceError 503 if the owner does not reply
   */
  async find(key: string, call: Call): Promise<T | undefined> {
    return this.byKey.get(key) ?? this.requests.run(key, () => this.requestOne(key, call), call);
  }

  /** @throws ServiceError 503 if the owner does not reply, or does not know the record although it must exist */
  async need(key: string, call: Call): Promise<T> {
    const record = await this.find(key, call);
    if (!record) throw new ServiceError(unavailable, { internal: `${key} is unknown to its owner` });
    return record;
  }

  /** Loads the stored records and returns their number. */
  async load(): Promise<number> {
    const { store } = this.options;
    if (store) for await (const record of store.load()) this.keep(record);
    return this.size;
  }

  /**
   * Keeps the newer records, first in the store, if there is one, and then in memory. Without a store, they count at
   * once.
   */
  async apply(records: readonly T[]): Promise<void> {
    const newer = new Map<string, T>();
    for (const record of records) {
      const key = this.options.keyOf(record);
      const version = newer.get(key)?.version ?? this.versionOf(key);
      if (record.version > version) newer.set(key, record);
    }
    const { store } = this.options;
    if (store && newer.size > 0) await store.save([...newer.values()]);
    for (const record of newer.values()) this.keep(record);
  }

  /**
   * Notes a change whose content is not known. Earlier versions of the record are not used from now on, wherever they
   * come from.
   */
  outdate(key: string, version: number): void {
    if (this.versionOf(key) >= version) return;
    this.remove(key);
    this.leastVersions.set(key, version);
  }

  /** Reads all records, and again at regular intervals, until they are stopped. */
  start(): void {
    this.reading.request();
    this.timer ??= setInterval(() => this.reading.request(), refreshEveryMs).unref();
  }

  /** Reads all records again, as events may have been lost. Retried until the owner replies. */
  reconnected(): void {
    this.reading.request();
  }

  stop(): void {
    clearInterval(this.timer);
    // Not awaited: the owner may not reply any more.
    void this.reading.stop();
  }

  /** Reads all records once. @throws Error if the owner does not reply. @returns true */
  async readAll(signal?: AbortSignal): Promise<true> {
    const { name, keyOf, list, log } = this.options;
    const before = new Map(this.byKey);
    for (let after: string | undefined | null; after !== null;) {
      const { records, next } = await list(after);
      if (signal?.aborted) return true;
      await this.apply(records);
      for (const record of records) before.delete(keyOf(record));
      after = next;
    }
    // What the owner no longer has goes, unless an event has replaced it meanwhile.
    for (const [key, record] of before) if (this.byKey.get(key) === record) this.remove(key);
    this.isComplete = true;
    log.info('copy read', { copy: name, count: this.size });
    return true;
  }

  /** The queue of a copy drops an event whose handler fails, so what it would have changed is read from the owner. */
  private following({ contracts, handle }: Subscription): Subscription {
    return {
      contracts,
      handle: async (events) => {
        try {
          return await handle(events);
        } catch (error) {
          this.reading.request();
          throw error;
        }
      },
    };
  }

  private async requestOne(key: string, call: Call): Promise<T | undefined> {
    const record = await this.options.request?.(key, call);
    if (!record) return undefined;
    await this.apply([record]);
    return this.byKey.get(key);
  }

  /** The version that a record must exceed: that of the known one, or the last that is outdated. */
  private versionOf(key: string): number {
    return Math.max(this.byKey.get(key)?.version ?? -1, (this.leastVersions.get(key) ?? 0) - 1);
  }

  private keep(record: T): void {
    const key = this.options.keyOf(record);
    if (record.version <= this.versionOf(key)) return;
    this.remove(key);
    this.leastVersions.delete(key);
    this.byKey.set(key, record);
    for (const { keyOf, byKey } of this.lookups.values()) {
      const secondary = keyOf(record);
      if (secondary !== undefined) byKey.set(secondary, record);
    }
  }

  private remove(key: string): void {
    const known = this.byKey.get(key);
    if (!known) return;
    this.byKey.delete(key);
    for (const { keyOf, byKey } of this.lookups.values()) {
      const secondary = keyOf(known);
      // A secondary key may already belong to another record.
      if (secondary !== undefined && byKey.get(secondary) === known) byKey.delete(secondary);
    }
  }
}
