import type { Collection } from 'mongodb';
import { SingleFlight } from '@receipts/concurrency';
import type { SerializedEvent } from '@receipts/kernel';
import { CreatedEventSweep, type Head, type NumberedDocument } from './created-event-sweep';
import { EventRelay, type EventRelayOptions } from './event-relay';
import type { OutboxBacklog } from './ports';
import { Watermarks, type WatermarkDocument } from './watermarks';

export interface CreatedEventRelayOptions<D extends NumberedDocument> extends EventRelayOptions {
  /** The name of the collection, for logs and metrics. */
  readonly name: string;
  readonly watermarks: Collection<WatermarkDocument>;
  readonly createdAt: (document: D) => Date | undefined;
  /** The events of a new document, derived from its contents, so that they are always the same. May be empty. */
  readonly eventsOf: (document: D) => readonly SerializedEvent[];
  readonly bytesOf?: (document: D) => number;
  /**
   * What a writer does for its documents before their events are published. The sweep does it for documents that a writer
   * has left. Returns them as they are afterwards.
   */
  readonly prepare?: (documents: readonly D[]) => Promise<readonly D[]>;
  /** Up to `countMax` documents of a retailer after a number, in order; read with majority read concern. */
  readonly readAfter: (retailer: string, arrival: number, countMax: number) => Promise<readonly D[]>;
  /**
   * Begins an iteration over the retailers that may have documents with unpublished events: each call of the returned
   * function gives the next retailers with their last numbers, and starts again after the last retailer.
   */
  readonly headPages: () => () => Promise<readonly Head[]>;
  /** The last number of a retailer; 0 if there is none. */
  readonly lastOf: (retailer: string) => Promise<number>;
  /** How long a watermark must be unchanged before another process publishes the documents above it; default 3 s. */
  readonly stalledAfterMs?: number;
  /**
   * Minimum time between the starts of two batches while there are few documents; default 50 ms. The first batch after
   * a pause starts immediately.
   */
  readonly batchWindowMs?: number;
}

const batchWindowMsDefault = 50;
const sweepEveryMs = 2_000;
const stalledAfterMsDefault = 3_000;
/**
 * A lost watermark that no running process remembers is set this many numbers below the retailer's last number. The
 * events of the documents in between may be published twice. The cost does not depend on the number of documents.
 */
const setBackBy = 10_000;
/** The backlog looks up the age of the oldest unpublished document only for this many retailers. */
const agesLookedUpMax = 20;

const keyOf = ({ retailer, arrival }: NumberedDocument) => `${retailer}|${arrival}`;

/**
 * Publishes the events of new documents, which are derived from the documents themselves. Published numbers are
 * recorded in one watermark per retailer about once a second, and only after confirmation. After a crash, some events
 * are therefore published twice, but none is lost.
 */
export class CreatedEventRelay<D extends NumberedDocument> extends EventRelay<D> {
  private readonly watermarks: Watermarks;
  private readonly leftovers: CreatedEventSweep<D>;
  private readonly reading = new SingleFlight<unknown>();
  /** See `enqueueWhen`. */
  private readonly awaited = new Set<Promise<void>>();
  /** The iteration of `backlog`. The sweep has a separate iteration, so that neither skips what the other has seen. */
  private readonly nextHeads: () => Promise<readonly Head[]>;

  constructor(private readonly options: CreatedEventRelayOptions<D>) {
    const { name, batchWindowMs = batchWindowMsDefault, stalledAfterMs = stalledAfterMsDefault } = options;
    super(options, { name, sweepEveryMs, batchWindowMs });
    this.watermarks = new Watermarks({
      collection: options.watermarks,
      initial: async (retailer, known) => known ?? Math.max(0, (await options.lastOf(retailer)) - setBackBy),
      log: options.log,
      now: this.now,
    });
    this.nextHeads = options.headPages();
    this.leftovers = new CreatedEventSweep<D>({
      nextHeads: options.headPages(),
      ...options,
      watermarks: this.watermarks,
      stalledAfterMs,
      now: this.now,
      publish: (documents) => this.publishAll(documents),
    });
  }

  override start(): void {
    super.start();
    this.watermarks.start();
  }

  /**
   * Publishes the events of documents that were just inserted. Documents that exceed the memory limits are left to the
   * sweep.
   */
  enqueue(documents: readonly D[]): void {
    for (const document of documents) {
      if (document.arrival === 1) this.watermarks.begin(document.retailer);
      const key = keyOf(document);
      // A number that is known to be published is not skipped: a database that lost its newest documents assigns it again.
      if (!this.queue.has(key)) this.queue.add(key, document, this.options.bytesOf?.(document) ?? 0);
    }
    this.queue.start();
  }

  /** Like `enqueue`, for documents that are not ready yet. If the promise rejects, they are left to the sweep. */
  enqueueWhen(ready: Promise<readonly D[]>): void {
    const { name, log } = this.options;
    const enqueued = ready
      .then(
        (documents) => this.enqueue(documents),
        (error: unknown) => log.warn('new documents are left to the sweep', { collection: name, error }),
      )
      .finally(() => this.awaited.delete(enqueued));
    this.awaited.add(enqueued);
  }

  override async flush(keys?: readonly string[]): Promise<void> {
    await Promise.all(this.awaited);
    await super.flush(keys);
  }

  /**
   * True if the events of this document are published; false if they are not, or if only another process knows that they
   * are. Waits for those that this process is publishing, and reads the watermark if it does not know.
   */
  async isPublished(document: NumberedDocument): Promise<boolean> {
    const { retailer, arrival } = document;
    const isKnown = () => this.watermarks.isCompleted(retailer, arrival);
    if (!isKnown()) await this.flush([keyOf(document)]);
    if (!isKnown()) await this.reading.run(retailer, () => this.watermarks.read([retailer]));
    return isKnown();
  }

  /** Moves the watermarks over the confirmed documents. */
  moveWatermarks(): Promise<void> {
    return this.watermarks.save();
  }

  async backlog(): Promise<OutboxBacklog> {
    const { readAfter, createdAt } = this.options;
    const found = await this.nextHeads();
    const watermarks = await this.watermarks.readOrCreate(found.map(({ retailer }) => retailer));
    const behind = found.flatMap(({ retailer, last }) => {
      const { upTo = 0, completedRanges = [], created_at: createdAt } = watermarks.get(retailer) ?? {};
      const done = completedRanges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
      const since = createdAt?.getTime() ?? 0;
      return last > upTo ? [{ retailer, upTo, since, pending: Math.max(1, last - upTo - done) }] : [];
    });
    const ages = await Promise.all(
      behind.slice(0, agesLookedUpMax).map(async ({ retailer, upTo, since }) => {
        const [document] = await readAfter(retailer, upTo, 1);
        // If the watermark was lost, its documents are published again: they have waited at most since it was recreated.
        return document ? this.now() - Math.max(since, createdAt(document)?.getTime() ?? 0) : 0;
      }),
    );
    const documents = behind.reduce((sum, { pending }) => sum + pending, 0);
    return { documents, oldestAgeMs: Math.max(0, ...ages) };
  }

  protected unpublishedEvents(document: D): readonly SerializedEvent[] {
    return this.options.eventsOf(document);
  }

  protected record(
    { retailer, arrival }: D,
    _confirmed: readonly SerializedEvent[],
    isComplete: boolean,
  ): void {
    if (isComplete) this.watermarks.add(retailer, arrival);
  }

  protected saveProgress(): Promise<void> {
    return this.watermarks.stop();
  }

  /** Publishes the documents above watermarks that do not move. */
  protected publishLeft(): Promise<number> {
    return this.leftovers.run();
  }

  /** Documents that cannot be prepared or published remain for the next sweep. */
  private async publishAll(documents: readonly D[]): Promise<void> {
    const { prepare = () => documents, name, log } = this.options;
    try {
      this.enqueue(await prepare(documents));
      await this.flush(documents.map((document) => keyOf(document)));
    } catch (error) {
      log.warn('could not prepare new documents', { collection: name, error });
    }
  }
}
