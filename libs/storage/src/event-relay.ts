import { PeriodicTask, within } from '@receipts/concurrency';
import { type Log, type SerializedEvent } from '@receipts/kernel';
import type { Lease } from './lease';
import type { OutboxBacklog, StorageMetrics } from './ports';
import { PublishQueue, type Publish, type PublishQueueOptions } from './publish-queue';

export interface EventRelayOptions {
  readonly publish: Publish;
  /** Ensures that only one process at a time publishes events that others have left unpublished. */
  readonly lease: Lease;
  readonly log: Log;
  readonly metrics?: StorageMetrics | undefined;
  readonly now?: () => number;
}

interface RelayQueue<T> extends Pick<PublishQueueOptions<T>, 'name' | 'batchWindowMs'> {
  readonly sweepEveryMs: number;
}

const stopGraceMs = 3_000;

/**
 * Publishes events of documents until the broker has confirmed them: events of this process's writes immediately, and,
 * in a sweep, events left by any process.
 */
export abstract class EventRelay<T> {
  protected readonly queue: PublishQueue<T>;
  protected readonly now: () => number;
  private readonly name: string;
  private readonly lease: Lease;
  private readonly log: Log;
  private readonly sweeper: PeriodicTask<number>;

  protected constructor({ publish, lease, log, metrics, now }: EventRelayOptions, queue: RelayQueue<T>) {
    const { name, sweepEveryMs, ...batching } = queue;
    this.now = now ?? Date.now;
    this.name = name;
    this.lease = lease;
    this.log = log;
    this.queue = new PublishQueue<T>({
      ...batching,
      name,
      publish,
      log,
      metrics,
      eventsOf: (value) => this.unpublishedEvents(value),
      merge: (waiting, added) => this.merge?.(waiting, added) ?? waiting,
      onPublished: (value, confirmed, isComplete) => this.record(value, confirmed, isComplete),
    });
    this.sweeper = new PeriodicTask({
      everyMs: sweepEveryMs,
      run: () => this.sweepAndLog(),
      log,
      failure: `could not sweep ${name}`,
    });
    metrics?.observeBacklog(name, () => this.backlog());
  }

  /** Starts sweeping. */
  start(): void {
    this.sweeper.start();
  }

  abstract backlog(): Promise<OutboxBacklog>;

  /** The events of a value that are not known to be published, in order. */
  protected abstract unpublishedEvents(value: T): readonly SerializedEvent[];
  /** Combines a waiting value with a later value for the same key; by default, the waiting value stays. */
  protected merge?(waiting: T, added: T): T;
  /** Records that events of a value are published. */
  protected abstract record(value: T, confirmed: readonly SerializedEvent[], isComplete: boolean): void;
  /** Saves the recorded progress. */
  protected abstract saveProgress(): Promise<void>;
  /** Publishes events left by any process, and returns the number of confirmed events. */
  protected abstract publishLeft(): Promise<number>;

  /**
   * Resolves when everything enqueued before has been confirmed or left to the sweep, or after 2 s at the latest. For
   * writers that want their events published before they reply.
   * @param keys restricts the wait to these documents
   */
  flush(keys?: readonly string[]): Promise<void> {
    return this.queue.flush(keys);
  }

  /** Publishes remaining events, and returns the number of confirmed events. */
  sweep(): Promise<number> {
    return this.sweeper.run();
  }

  /** Stops sweeping, and publishes and records events in flight within `graceMs`. */
  async stop(graceMs: number = stopGraceMs): Promise<void> {
    const finish = async () => {
      await this.sweeper.stop();
      await this.flush();
      await this.saveProgress();
      await this.lease.release();
    };
    await within(graceMs, 'publishing events in flight', finish()).catch((error: unknown) =>
      this.log.warn('the relay did not finish in time', { collection: this.name, error }),
    );
  }

  private async sweepAndLog(): Promise<number> {
    const count = await this.publishLeft();
    const refused = this.queue.takeRefusedCount();
    if (refused > 0)
      this.log.warn('values did not fit into memory', { collection: this.name, count: refused });
    if (count > 0) this.log.info('published remaining events', { collection: this.name, count });
    return count;
  }
}
