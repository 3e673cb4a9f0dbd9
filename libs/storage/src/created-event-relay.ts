import type { Collection } from 'mongodb';
import type { SerializedEvent, Log } from '@receipts/kernel';
import { CreatedEventSweep, type Head } from './created-event-sweep';
import type { Lease } from './lease';
import type { Backlog, StorageMetrics } from './ports';
import { Watermarks, type WatermarkDocument } from './watermarks';
import { NumberRanges } from './number-ranges';
import type { SequencePosition } from './sequence-position';
import type { Publish } from './outbox-relay';

export interface CreatedEventRelayOptions<D> {
  /** The name of the collection, for logs and metrics. */
  readonly name: string;
  readonly watermarks: Collection<WatermarkDocument>;
  readonly positionOf: (document: D) => SequencePosition;
  /** The events of a new document, derived from its contents, so that they are always the same. May be empty. */
  readonly eventsOf: (document: D) => readonly SerializedEvent[];
  readonly bytesOf?: (document: D) => number;
  /** Up to `countMax` documents of a retailer after a number, in order; read with majority read concern. */
  readonly readAfter: (retailer: string, seq: number, countMax: number) => Promise<readonly D[]>;
  /** The last number of each retailer that may have documents with unpublished events. */
  readonly heads: () => Promise<readonly Head[]>;
  /** The last number of a retailer; 0 when there is none. */
  readonly lastOf: (retailer: string) => Promise<number>;
  readonly publish: Publish;
  /** Ensures that one process at a time publishes what others have left unpublished. */
  readonly lease: Lease;
  readonly log: Log;
  readonly metrics?: StorageMetrics | undefined;
  /** The interval at which watermarks are moved; default 1 s, 0 turns it off for tests. */
  readonly moveEveryMs?: number;
  /** The interval of the sweep for watermarks that do not move; default 2 s, 0 turns it off. */
  readonly sweepEveryMs?: number;
  /** How long a watermark must stand still before another process publishes what is above it; default 3 s. */
  readonly stillAfterMs?: number;
  /**
   * Minimum time between the starts of two batches while there are few documents; default 50 ms. The first batch
   * after a pause starts at once.
   */
  readonly batchWindowMs?: number;
  readonly now?: () => number;
}

export interface CreatedEventRelay<D> {
  /**
   * Publishes the events of documents that were just inserted. Documents that exceed the memory limits are left to
   * the sweep.
   */
  enqueue(documents: readonly D[]): void;
  /** Publishes the gathered documents at once, so that later events about them do not overtake their first events. */
  flushNow(): void;
  /** The watermark of a retailer. One that does not exist is created. */
  watermark(retailer: string): Promise<WatermarkDocument>;
  /** True when the events of this document are known to be published; false when they are not, or it is unknown. */
  isPublished(retailer: string, seq: number): boolean;
  /** Resolves when everything enqueued before has been confirmed or left to the sweep, after 2 s at the latest. */
  flush(): Promise<void>;
  /** Moves the watermarks over the confirmed documents. */
  moveWatermarks(): Promise<void>;
  /** Publishes the documents above watermarks that do not move; returns their number. */
  sweep(): Promise<number>;
  backlog(): Promise<Backlog>;
  /** Stops sweeping, publishes the documents in flight within `graceMs`, and moves the watermarks. */
  stop(graceMs?: number): Promise<void>;
}

const inFlightMax = 20_000;
const inFlightBytesMax = 64 * 1024 * 1024;
const batchDocumentsMax = 500;
const batchesInFlightMax = 2;
/** This many documents fill a message of facts, so batchWindow more has no benefit. */
const fullBatchCount = 256;
const batchWindowMsDefault = 50;
const moveEveryMsDefault = 1_000;
const sweepEveryMsDefault = 2_000;
const stillAfterMsDefault = 3_000;
const flushTimeoutMs = 2_000;
const stopGraceMs = 3_000;
/**
 * A lost watermark that no running process remembers is set this many numbers below the last one. Their events may be
 * published twice. The work does not depend on the number of documents.
 */
const republishedMax = 10_000;
/** The backlog looks up the age of the oldest unpublished document for this many retailers only. */
const agesLookedUpMax = 20;

interface Pending<D> {
  readonly document: D;
  readonly place: SequencePosition;
  readonly bytes: number;
}

class DocumentRelay<D> implements CreatedEventRelay<D> {
  private readonly watermarks: Watermarks;
  private readonly published = new Map<string, NumberRanges>();
  private readonly knownWatermarks = new Map<string, number>();
  private readonly inFlight = new Map<string, Set<number>>();
  private readonly queue: Pending<D>[] = [];
  private inFlightCount = 0;
  private inFlightBytes = 0;
  private batchesInFlight = 0;
  /** Set while documents are gathered into a batch. */
  private batchWindow: NodeJS.Timeout | undefined;
  private refused = 0;
  private isStopping = false;
  private waiters: (() => void)[] = [];
  private moving: Promise<void> = Promise.resolve();
  private sweeping: Promise<number> | undefined;
  private readonly sweeper: CreatedEventSweep<D>;
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly now: () => number;

  constructor(private readonly options: CreatedEventRelayOptions<D>) {
    const { moveEveryMs = moveEveryMsDefault, sweepEveryMs = sweepEveryMsDefault } = options;
    this.now = options.now ?? Date.now;
    this.watermarks = new Watermarks(
      options.watermarks,
      (retailer) => this.initialWatermark(retailer),
      this.now,
    );
    this.sweeper = new CreatedEventSweep<D>({
      ...options,
      watermarks: this.watermarks,
      stillAfterMs: options.stillAfterMs ?? stillAfterMsDefault,
      now: this.now,
      isInFlight: (retailer, seq) => this.inFlight.get(retailer)?.has(seq) === true,
      isPublished: (retailer, seq) => this.isPublished(retailer, seq),
      send: (documents) => this.publish(documents),
      learn: (watermarks) => this.learn(watermarks),
    });
    const repeat = (everyMs: number, task: () => Promise<void>) => {
      if (everyMs > 0) this.timers.push(setInterval(() => void task(), everyMs).unref());
    };
    repeat(moveEveryMs, () => this.moveWatermarks());
    repeat(sweepEveryMs, () => this.sweepQuietly());
    options.metrics?.observeBacklog(options.name, () => this.backlog());
  }

  enqueue(documents: readonly D[]): void {
    for (const document of documents) {
      const bytes = this.options.bytesOf?.(document) ?? 0;
      if (this.inFlightCount >= inFlightMax || this.inFlightBytes + bytes > inFlightBytesMax) this.refused++;
      else this.take({ document, place: this.options.positionOf(document), bytes });
    }
    this.pump();
  }

  flushNow(): void {
    clearTimeout(this.batchWindow);
    this.batchWindow = undefined;
    this.pump();
  }

  async watermark(retailer: string): Promise<WatermarkDocument> {
    return (await this.watermarks.read([retailer])).get(retailer) as WatermarkDocument;
  }

  isPublished(retailer: string, seq: number): boolean {
    const watermark = this.knownWatermarks.get(retailer);
    return (watermark !== undefined && seq <= watermark) || this.published.get(retailer)?.has(seq) === true;
  }

  flush(): Promise<void> {
    if (this.inFlightCount === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, flushTimeoutMs);
      timer.unref();
      this.waiters.push(() => {
        clearTimeout(timer);
        resolve();
      });
      this.pump();
    });
  }

  moveWatermarks(): Promise<void> {
    this.moving = this.moving.then(() => this.moveAll());
    return this.moving;
  }

  sweep(): Promise<number> {
    this.sweeping ??= this.sweeper.run().finally(() => (this.sweeping = undefined));
    return this.sweeping;
  }

  async backlog(): Promise<Backlog> {
    const { heads, readAfter, positionOf } = this.options;
    const found = await heads();
    const watermarks = await this.watermarks.read(found.map(({ retailer }) => retailer));
    const behind = found.flatMap(({ retailer, last }) => {
      const { upTo = 0, completedRanges = [], created_at: createdAt } = watermarks.get(retailer) ?? {};
      const done = completedRanges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
      const since = createdAt?.getTime() ?? 0;
      return last > upTo ? [{ retailer, upTo, since, pending: Math.max(1, last - upTo - done) }] : [];
    });
    const oldest = await Promise.all(
      behind.slice(0, agesLookedUpMax).map(async ({ retailer, upTo, since }) => {
        const [document] = await readAfter(retailer, upTo, 1);
        // Documents that are published again because their watermark was lost have not been waiting for longer than that.
        return document ? this.now() - Math.max(since, positionOf(document).at.getTime()) : 0;
      }),
    );
    const documents = behind.reduce((sum, { pending }) => sum + pending, 0);
    return { documents, oldestAgeMs: Math.max(0, ...oldest) };
  }

  async stop(graceMs: number = stopGraceMs): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    // From now on documents are published without batchWindow.
    this.isStopping = true;
    const finish = async () => {
      await this.sweeping?.catch(() => undefined);
      await this.flush();
      await this.moveWatermarks();
      await this.options.lease.release();
    };
    const finished = finish().catch((error: unknown) => this.logFailure('the relay did not finish', error));
    let timer: NodeJS.Timeout | undefined;
    const bound = new Promise<void>((resolve) => (timer = setTimeout(resolve, graceMs)));
    await Promise.race([finished, bound]);
    clearTimeout(timer);
  }

  private take(pending: Pending<D>): void {
    const { retailer, seq } = pending.place;
    // The retailer is new, so its watermark was not lost.
    if (seq === 1 && !this.knownWatermarks.has(retailer)) this.knownWatermarks.set(retailer, 0);
    const held = this.inFlight.get(retailer) ?? new Set<number>();
    if (held.has(seq)) return;
    this.inFlight.set(retailer, held.add(seq));
    this.inFlightCount++;
    this.inFlightBytes += pending.bytes;
    this.queue.push(pending);
  }

  private async initialWatermark(retailer: string): Promise<number> {
    const known = this.knownWatermarks.get(retailer);
    return known ?? Math.max(0, (await this.options.lastOf(retailer)) - republishedMax);
  }

  private letGo({ place: { retailer, seq }, bytes }: Pending<D>): void {
    const held = this.inFlight.get(retailer);
    held?.delete(seq);
    if (held?.size === 0) this.inFlight.delete(retailer);
    this.inFlightCount--;
    this.inFlightBytes -= bytes;
    if (this.inFlightCount === 0) for (const done of this.waiters.splice(0)) done();
  }

  private pump(): void {
    while (this.queue.length > 0 && this.batchesInFlight < batchesInFlightMax && !this.isInBatchWindow()) {
      const batch = this.queue.splice(0, batchDocumentsMax);
      this.batchesInFlight++;
      this.openBatchWindow();
      void this.publish(batch.map(({ document }) => document)).finally(() => {
        for (const pending of batch) this.letGo(pending);
        this.batchesInFlight--;
        this.pump();
      });
    }
  }

  /**
   * Whether to wait for more documents: a batch costs the broker and each subscriber the same whether it has one or
   * many.
   */
  private isInBatchWindow(): boolean {
    const isAwaited = this.isStopping || this.waiters.length > 0;
    return this.batchWindow !== undefined && this.queue.length < fullBatchCount && !isAwaited;
  }

  private openBatchWindow(): void {
    clearTimeout(this.batchWindow);
    this.batchWindow = setTimeout(() => {
      this.batchWindow = undefined;
      this.pump();
    }, this.options.batchWindowMs ?? batchWindowMsDefault).unref();
  }

  /**
   * Publishes the events of documents and remembers which were confirmed. True for each document whose events were
   * all published; never rejects.
   */
  private async publish(documents: readonly D[]): Promise<boolean[]> {
    const { publish, positionOf, metrics, name, log } = this.options;
    const isOut = documents.map(() => true);
    const events: SerializedEvent[] = [];
    const owners: number[] = [];
    documents.forEach((document, owner) => {
      try {
        for (const event of this.options.eventsOf(document)) {
          events.push(event);
          owners.push(owner);
        }
      } catch (error) {
        isOut[owner] = false;
        this.logFailure('the events of a document cannot be made', error);
      }
    });
    try {
      const confirms = events.length > 0 ? await publish(events) : [];
      owners.forEach((owner, i) => {
        if (confirms[i] !== true) isOut[owner] = false;
      });
    } catch (error) {
      this.logFailure('could not publish the events of new documents', error);
      for (const owner of owners) isOut[owner] = false;
    }
    documents.forEach((document, i) => {
      if (isOut[i]) this.remember(positionOf(document));
    });
    const failed = isOut.filter((out) => !out).length;
    metrics?.published(name, documents.length - failed);
    if (failed > 0) {
      metrics?.unconfirmed(name, failed);
      log.warn('events of new documents were not confirmed', { collection: name, count: failed });
    }
    return isOut;
  }

  private remember({ retailer, seq }: SequencePosition): void {
    const ranges = this.published.get(retailer) ?? new NumberRanges();
    ranges.add(seq);
    this.published.set(retailer, ranges);
  }

  /** Adopts watermarks, including what other processes have written into them. */
  private learn(watermarks: Iterable<WatermarkDocument>): void {
    for (const { _id: retailer, upTo, completedRanges = [] } of watermarks) {
      this.knownWatermarks.set(retailer, Math.max(upTo, this.knownWatermarks.get(retailer) ?? 0));
      const ranges = this.published.get(retailer) ?? new NumberRanges();
      for (const { from, to } of completedRanges) ranges.add(from, to);
      ranges.dropUpTo(upTo);
      if (ranges.lowest) this.published.set(retailer, ranges);
      else this.published.delete(retailer);
    }
  }

  private async moveAll(): Promise<void> {
    if (this.published.size === 0) return;
    const done = new Map([...this.published].map(([retailer, { all }]) => [retailer, [...all]]));
    try {
      this.learn((await this.watermarks.move(done)).values());
    } catch (error) {
      this.logFailure('could not move the watermarks', error);
    }
  }

  private async sweepQuietly(): Promise<void> {
    const { log, name } = this.options;
    if (this.refused > 0)
      log.warn('new documents did not fit into memory', { collection: name, count: this.refused });
    this.refused = 0;
    try {
      const count = await this.sweep();
      if (count > 0) log.info('published what was left above a watermark', { collection: name, count });
    } catch (error) {
      this.logFailure('could not look for watermarks that stand still', error);
    }
  }

  private logFailure(msg: string, error: unknown): void {
    this.options.log.warn(msg, { collection: this.options.name, error });
  }
}

/**
 * Publishes the events of new documents, which are derived from the documents themselves. Published numbers are
 * recorded in one watermark per retailer about once a second, and only after confirmation. After a crash some events are
 * thus published twice, but none is lost.
 */
export function createCreatedEventRelay<D>(options: CreatedEventRelayOptions<D>): CreatedEventRelay<D> {
  return new DocumentRelay(options);
}
