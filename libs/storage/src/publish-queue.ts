import { BatchScheduler, groupBy, resolvesWithin } from '@receipts/concurrency';
import { type Log, type SerializedEvent } from '@receipts/kernel';
import type { StorageMetrics } from './ports';

/** Publishes events; true for each one that the broker has confirmed. */
export type Publish = (events: readonly SerializedEvent[]) => Promise<readonly boolean[]>;

export interface PublishQueueOptions<T> {
  /** The name of the collection, for logs and metrics. */
  readonly name: string;
  readonly publish: Publish;
  /** The events of a value, in order. If it throws, the value counts as unpublished. */
  readonly eventsOf: (value: T) => readonly SerializedEvent[];
  /** Combines a waiting value with a later value for the same key. */
  readonly merge: (waiting: T, added: T) => T;
  /**
   * Called for each value after its batch.
   * @param confirmed the confirmed events, in order; those after an unconfirmed one do not count
   * @param isComplete whether all its events are confirmed
   */
  readonly onPublished: (value: T, confirmed: readonly SerializedEvent[], isComplete: boolean) => void;
  /**
   * The minimum time between the starts of two batches while there are few values. A batch costs the broker and each
   * subscriber the same, whether it has one value or many.
   */
  readonly batchWindowMs?: number;
  readonly log: Log;
  readonly metrics?: StorageMetrics | undefined;
}

interface Entry<T> {
  readonly key: string;
  value: T;
  bytes: number;
  readonly onSettled: (() => void)[];
}

const entriesMax = 20_000;
const bytesMax = 64 * 1024 * 1024;
const batchEntriesMax = 500;
const batchesInFlightMax = 2;
/** This many values fill a message of internal events, so waiting for more has no benefit. */
const fullBatchCount = 256;
const flushTimeoutMs = 2_000;

/**
 * Publishes events in batches, within memory limits: a single value immediately, and several together while two
 * batches are in flight. Values of the same key are published in order, one batch after another.
 */
export class PublishQueue<T> {
  // Replaced when they are empty: the backing store of a map that has outgrown it points to the next one. Once one of
  // them is in the old generation, all later ones follow, with the values that they had, until the next full collection.
  // Under load, this doubled the time of each collection (November 2026).
  private waiting = new Map<string, Entry<T>>();
  private publishing = new Map<string, Entry<T>>();
  private bytes = 0;
  private flushesInProgress = 0;
  private refusedCount = 0;
  private readonly scheduler: BatchScheduler<Entry<T>>;

  constructor(private readonly options: PublishQueueOptions<T>) {
    const { batchWindowMs } = options;
    this.scheduler = new BatchScheduler<Entry<T>>({
      waitingCount: () => this.waiting.size,
      take: () => this.take(),
      run: (batch) => this.publishBatch(batch),
      isFull: () => this.waiting.size >= fullBatchCount || this.flushesInProgress > 0,
      concurrency: batchesInFlightMax,
      batchWindowMs,
    });
  }

  /** The number of values that are waiting or being published. */
  get size(): number {
    return this.waiting.size + this.publishing.size;
  }

  has(key: string): boolean {
    return this.waiting.has(key) || this.publishing.has(key);
  }

  /** Adds a value for `start` to publish. It is dropped if it exceeds the limits. */
  add(key: string, value: T, bytes: number): void {
    if (this.size >= entriesMax || this.bytes + bytes > bytesMax) {
      this.refusedCount++;
      return;
    }
    this.bytes += bytes;
    const waiting = this.waiting.get(key);
    if (!waiting) this.waiting.set(key, { key, value, bytes, onSettled: [] });
    else {
      waiting.value = this.options.merge(waiting.value, value);
      waiting.bytes += bytes;
    }
  }

  start(): void {
    this.scheduler.start();
  }

  /** Publishes waiting values without waiting for more. */
  startNow(): void {
    this.scheduler.startNow();
  }

  /**
   * Resolves when everything added before has been confirmed or abandoned, or after 2 s at the latest.
   * @param keys restricts the wait to values of these keys
   */
  async flush(keys: readonly string[] = [...this.waiting.keys(), ...this.publishing.keys()]): Promise<void> {
    const entries = [...new Set(keys)]
      .flatMap((key) => [this.waiting.get(key) ?? [], this.publishing.get(key) ?? []])
      .flat();
    if (entries.length === 0) return;
    const settled = entries.map(({ onSettled }) => new Promise<void>((resolve) => onSettled.push(resolve)));
    this.flushesInProgress++;
    this.start();
    await resolvesWithin(flushTimeoutMs, Promise.all(settled));
    this.flushesInProgress--;
  }

  /** The number of values that did not fit since the last call. */
  takeRefusedCount(): number {
    const count = this.refusedCount;
    this.refusedCount = 0;
    return count;
  }

  private take(): Entry<T>[] {
    const batch: Entry<T>[] = [];
    for (const entry of this.waiting.values()) {
      if (batch.length === batchEntriesMax) break;
      if (!this.publishing.has(entry.key)) batch.push(entry);
    }
    for (const { key } of batch) this.waiting.delete(key);
    if (this.waiting.size === 0) this.waiting = new Map();
    return batch;
  }

  /** Never rejects. */
  private async publishBatch(batch: readonly Entry<T>[]): Promise<void> {
    for (const entry of batch) this.publishing.set(entry.key, entry);
    const values = batch.map(({ value }) => value);
    const eventsOf = values.map((value) => this.eventsOf(value));
    const rounds = inRounds(eventsOf.map((events) => events ?? []));
    const confirms = await this.publishEvents(rounds.map(({ event }) => event));
    const counts = values.map(() => 0);
    rounds.forEach(({ of, round }, i) => {
      if (confirms?.[i] === true && counts[of] === round) counts[of]++;
    });
    batch.forEach((entry, i) => {
      const events = eventsOf[i] ?? [];
      const count = counts[i] ?? 0;
      const isComplete = confirms !== undefined && eventsOf[i]?.length === count;
      this.options.onPublished(entry.value, events.slice(0, count), isComplete);
      this.publishing.delete(entry.key);
      this.settle(entry);
      // Values behind an unconfirmed event are left to the sweep, or to the next value, which contains both.
      const next = isComplete ? undefined : this.waiting.get(entry.key);
      if (next && this.waiting.delete(entry.key)) this.settle(next);
    });
    if (this.publishing.size === 0) this.publishing = new Map();
  }

  private settle({ bytes, onSettled }: Entry<T>): void {
    this.bytes -= bytes;
    for (const done of onSettled) done();
  }

  /** Whether each event was confirmed; undefined if publishing has failed. */
  private async publishEvents(events: readonly SerializedEvent[]): Promise<readonly boolean[] | undefined> {
    const { name, publish, log, metrics } = this.options;
    let confirms: readonly boolean[] | undefined;
    try {
      confirms = events.length > 0 ? await publish(events) : [];
    } catch (error) {
      log.warn('could not publish events', { collection: name, error });
    }
    const count = confirms?.filter((isConfirmed) => isConfirmed).length ?? 0;
    metrics?.published(name, count);
    if (count < events.length) {
      metrics?.unconfirmed(name, events.length - count);
      log.warn('events were not confirmed', { collection: name, count: events.length - count });
    }
    return confirms;
  }

  private eventsOf(value: T): readonly SerializedEvent[] | undefined {
    try {
      return this.options.eventsOf(value);
    } catch (error) {
      this.options.log.warn('the events of a document cannot be created', {
        collection: this.options.name,
        error,
      });
      return undefined;
    }
  }
}

interface Placed {
  readonly event: SerializedEvent;
  /** The index of its value. */
  readonly of: number;
  /** Its index among the events of its value. */
  readonly round: number;
}

/**
 * The first event of each value, then the second of each, and so on, by type within a round: the events of a value stay in
 * order, and those of one type, which share messages, are next to each other.
 */
function inRounds(eventsOf: readonly (readonly SerializedEvent[])[]): Placed[] {
  const placed: Placed[] = [];
  for (let round = 0; ; round++) {
    const found = eventsOf.flatMap((events, of) => {
      const event = events[round];
      return event ? [{ event, of, round }] : [];
    });
    if (found.length === 0) return placed;
    for (const ofType of groupBy(found, ({ event }) => event.type).values()) placed.push(...ofType);
  }
}
