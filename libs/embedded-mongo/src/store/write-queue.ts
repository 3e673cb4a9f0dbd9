import { MongoError } from '../errors';
import { nextTurn, ScanTurns } from '../next-turn';
import type { Catalog } from './catalog';
import type { Storage } from './storage';
import { asMongoError, isLmdbError } from './storage-errors';
import { WriteGroup, type Job, type Queued } from './write-group';

/** How long writing may occupy the event loop before other work runs. */
export const writeSliceMs = 8;

/** How often writing is retried after the disk was full. */
const retryMs = 1_000;

/**
 * Group commit. Jobs run in order of arrival. The changes made while a record is being written form the next record,
 * and their jobs complete when that record is on disk. Readers see changes immediately, but their replies also wait
 * until the changes are on disk, so that no reply contains data that a crash could undo.
 */
export class WriteQueue {
  private queue: Queued[] = [];
  private group = new WriteGroup(1);
  private logging: WriteGroup | undefined;
  private appended: Promise<void> = Promise.resolve();
  /** A job between two of its slices whose partial result must not be visible. */
  private whole: Queued | undefined;
  private scheduled = false;
  private pause: Promise<void> | undefined;
  private closed = false;
  private refused: { readonly error: MongoError; readonly until: number } | undefined;
  private broken: MongoError | undefined;
  private timer: NodeJS.Timeout | undefined;
  private waiters: (() => void)[] = [];
  private recoveries = 0;
  private readonly scans = new ScanTurns();

  constructor(
    private readonly storage: Storage,
    private readonly catalog: Catalog,
  ) {
    catalog.changedIn = this.group.number;
    this.watch();
  }

  /** @param wholeIn the namespace in which a partial result of the job must not be visible */
  submit<T>(job: Job<T>, wholeIn?: string): Promise<T> {
    if (this.closed) return Promise.reject(new MongoError(91, 'The server is shutting down'));
    return new Promise<T>((resolve, reject) => {
      this.queue.push({
        job,
        wholeIn,
        resolve: resolve as (value: unknown) => void,
        reject,
        started: false,
      });
      this.schedule();
    });
  }

  /** Undefined if a namespace may be read now. Otherwise the caller must await the promise and check again. */
  readable(namespace: string | undefined): Promise<void> | undefined {
    if (this.broken !== undefined) throw this.broken;
    const whole = this.whole?.wholeIn;
    if (whole === undefined || (namespace !== undefined && namespace !== whole)) {
      return this.storage.recovering ? this.pause : undefined;
    }
    return new Promise((resolve) => this.waiters.push(resolve));
  }

  /** Resolves in a later turn of the event loop, once it is the scan's turn and the namespace may be read. */
  async nextScanTurn(namespace: string): Promise<void> {
    await this.scans.next();
    await this.untilReadable(namespace);
  }

  async untilReadable(namespace: string | undefined): Promise<void> {
    for (let wait = this.readable(namespace); wait !== undefined; wait = this.readable(namespace)) await wait;
  }

  /**
   * Undefined if everything read from a namespace (undefined: any namespace) is on disk. Otherwise a promise that
   * resolves when it is.
   */
  shown(namespace: string | undefined): Promise<void> | undefined {
    const { catalog } = this;
    const logging = this.logging;
    const group = this.group;
    if (this.storage.recovering) return this.shownAfterPause();
    const collection = namespace === undefined ? undefined : catalog.get(namespace);
    const changedIn =
      namespace === undefined ? Infinity : Math.max(catalog.changedIn, collection?.changedIn ?? 0);
    if (changedIn >= group.number && this.storage.environment.changes.count > 0) return group.logged();
    return logging !== undefined && changedIn >= logging.number ? logging.logged() : undefined;
  }

  private async shownAfterPause(): Promise<void> {
    const before = this.recoveries;
    await this.pause;
    if (this.recoveries !== before) throw interrupted;
  }

  /** Rejects new jobs and completes those in the queue. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    while (this.busy) await (this.pause ?? nextTurn());
  }

  private get busy(): boolean {
    const atWork = this.logging !== undefined || this.pause !== undefined;
    return atWork || this.whole !== undefined || this.queue.length > 0 || !this.nothingToLog;
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      // Once closed and idle, nothing is left to do: the storage takes the last checkpoint itself.
      if (this.pause === undefined && (this.busy || !this.closed)) this.work();
    });
  }

  private work(): void {
    if (this.broken !== undefined || this.refused !== undefined) return this.turnAway();
    const due = this.whole === undefined && this.storage.checkpointInMs === 0;
    if (!due) this.slice();
    if (this.pause !== undefined) return;
    if (this.whole === undefined && this.logging === undefined) {
      if (due && this.nothingToLog) return this.during(this.checkpoint());
      this.log();
    }
    // If a record is being written, its completion schedules the next turn.
    const more = this.queue.length > 0 && !due;
    if (more || (due && this.logging === undefined)) this.schedule();
  }

  private get nothingToLog(): boolean {
    return this.storage.environment.changes.count === 0 && this.group.isEmpty;
  }

  /** Suspends writing until `work` is done. */
  private during(work: Promise<void>): void {
    this.pause = work.finally(() => {
      this.pause = undefined;
      this.wake();
      this.watch();
      this.schedule();
    });
  }

  private wake(): void {
    for (const resolve of this.waiters.splice(0)) resolve();
  }

  /** Schedules the next checkpoint, which is due even without further writes. */
  private watch(): void {
    const ms = this.storage.checkpointInMs;
    if (this.timer !== undefined || ms === Infinity || this.closed) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.schedule();
      this.watch();
    }, ms);
    this.timer.unref();
  }

  /** Runs each queued job until it ends or yields, for up to `writeSliceMs`. */
  private slice(): void {
    this.storage.environment.begin();
    const until = performance.now() + writeSliceMs;
    const unfinished: Queued[] = [];
    do {
      const q = this.whole ?? this.queue.shift();
      if (q === undefined) break;
      q.started = true;
      try {
        const step = q.job.next();
        if (step.done === true) this.end(q, () => q.resolve(step.value));
        else if (q.wholeIn !== undefined) this.whole = q;
        else unfinished.push(q);
      } catch (error) {
        if (isLmdbError(error)) {
          q.reject(asMongoError(error));
          return this.fail(error);
        }
        this.end(q, () => q.reject(error));
      }
    } while (performance.now() < until);
    this.queue.push(...unfinished);
    if (this.whole !== undefined) this.schedule();
  }

  private end(q: Queued, settle: () => void): void {
    this.group.add(q, settle);
    if (this.whole !== q) return;
    this.whole = undefined;
    this.wake();
  }

  /** Writes a record with the changes since the last record. */
  private log(): void {
    if (this.nothingToLog) return;
    this.catalog.writeCounts();
    const group = this.group;
    this.nextGroup();
    if (this.storage.environment.changes.count === 0) return group.succeed();
    this.logging = group;
    this.appended = this.storage.append().then(
      () => {
        this.logging = undefined;
        group.succeed();
        this.watch();
        this.schedule();
      },
      (error: unknown) => {
        this.logging = undefined;
        group.fail(asMongoError(error));
        if (this.pause === undefined) this.fail(error);
      },
    );
  }

  private async checkpoint(): Promise<void> {
    try {
      await this.storage.checkpoint();
    } catch (error) {
      await this.recover(error);
    }
  }

  /** Discards all changes that are not in the log, and fails their writers and readers. */
  private fail(error: unknown): void {
    const answer = asMongoError(error);
    const group = this.group;
    const begun = [...(this.whole ? [this.whole] : []), ...this.queue.filter((q) => q.started)];
    this.queue = this.queue.filter((q) => !q.started);
    this.whole = undefined;
    this.nextGroup();
    this.during(
      this.recover(error).then(() => {
        group.fail(answer);
        for (const q of begun) q.reject(answer);
      }),
    );
  }

  private nextGroup(): void {
    this.group = new WriteGroup(this.group.number + 1);
    this.storage.environment.group = this.group.number;
  }

  private async recover(error: unknown): Promise<void> {
    this.refused = { error: asMongoError(error), until: 0 };
    await this.appended;
    try {
      await this.storage.recover();
      this.catalog.load();
    } catch (cause) {
      this.broken = new MongoError(1, `the data cannot be restored, restart the server: ${String(cause)}`);
    }
    this.recoveries++;
  }

  /** Rejects writes while the disk is full, and retries occasionally. */
  private turnAway(): void {
    const broken = this.broken;
    const refused = this.refused;
    if (broken === undefined && refused !== undefined && performance.now() >= refused.until) {
      if (this.queue.length > 0) this.during(this.tryAgain());
      return;
    }
    for (const q of this.queue.splice(0)) q.reject(broken ?? refused!.error);
  }

  private async tryAgain(): Promise<void> {
    this.refused = undefined;
    try {
      await this.storage.makeRoom();
    } catch (error) {
      await this.recover(error);
      this.refused = { error: asMongoError(error), until: performance.now() + retryMs };
    }
  }
}

const interrupted = new MongoError(11600, 'the writes that were read could not be stored on disk');
