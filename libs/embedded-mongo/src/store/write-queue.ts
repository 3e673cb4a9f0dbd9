import { MongoError } from '../errors';
import type { Environment } from './environment';

/**
 * A piece of writing. It runs inside a write transaction; each `yield` lets the transaction commit and other work go
 * on, and the job goes on in a later transaction.
 */
export type Job<T> = Generator<void, T, void>;

interface Queued {
  readonly job: Job<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** How long a transaction keeps the event loop before others get their turn. */
export const WRITE_SLICE_MS = 8;

/**
 * How long a transaction stays open, over several slices, for jobs that are not done. A transaction writes each page that
 * it touched once, so that cutting a bulk into many transactions makes it several times slower.
 */
const TRANSACTION_MS_MAX = 200;

const MDB_MAP_FULL = -30792;
const ENOSPC = 28;
const EDQUOT = 122;
const EFBIG = 27;
const EIO = 5;

/** No disk takes so long to write; what takes longer will not come back. */
const COMMIT_MS_MAX = 120_000;

/** The jobs of one transaction. */
interface Group {
  /** Called after the commit. */
  readonly settled: (() => void)[];
  readonly unfinished: Queued[];
  readonly touched: Set<Queued>;
}

/**
 * Group commit: all that is queued when a transaction starts shares it and its fsync; a job is answered after the commit
 * that holds its last part. One transaction is under way at a time, so what is queued meanwhile makes the next group.
 */
export class WriteQueue {
  private queue: Queued[] = [];
  private running = false;
  private closed = false;
  private broken: MongoError | undefined;
  private idle: (() => void)[] = [];

  /** `onFailure` restores what the jobs of a failed transaction changed in memory. */
  constructor(
    private readonly environment: Environment,
    private readonly beforeCommit: () => void,
    private readonly onFailure: () => void,
  ) {}

  submit<T>(job: Job<T>): Promise<T> {
    if (this.closed) return Promise.reject(new MongoError(91, 'The server is shutting down'));
    return new Promise<T>((resolve, reject) => {
      this.queue.push({ job, resolve: resolve as (value: unknown) => void, reject });
      if (!this.running) void this.run();
    });
  }

  /** Takes no more, finishes what is queued. */
  async close(): Promise<void> {
    this.closed = true;
    if (this.running) await new Promise<void>((resolve) => this.idle.push(resolve));
  }

  private async run(): Promise<void> {
    this.running = true;
    while (this.queue.length > 0) await this.commitOnce();
    this.running = false;
    for (const resolve of this.idle.splice(0)) resolve();
  }

  private async commitOnce(): Promise<void> {
    const group: Group = { settled: [], unfinished: [], touched: new Set() };
    try {
      if (this.broken !== undefined) {
        for (const q of this.queue.splice(0)) group.touched.add(q);
        throw this.broken;
      }
      await this.committed(() => this.fill(group));
    } catch (error) {
      const answer = error instanceof MongoError ? error : await commitError(error);
      this.onFailure();
      for (const q of group.touched) q.reject(answer);
      return;
    }
    this.queue.unshift(...group.unfinished);
    for (const settle of group.settled) settle();
  }

  /** A transaction with a bound: after some failures (a write of LMDB's meta page) the library never answers again. */
  private committed(body: () => void | Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.broken = new MongoError(
          1,
          `LMDB has not committed for ${COMMIT_MS_MAX} ms; the server must be restarted`,
        );
        reject(this.broken);
      }, COMMIT_MS_MAX);
      this.environment
        .transaction(body)
        .then(resolve, reject)
        .finally(() => clearTimeout(timer));
    });
  }

  /** What one transaction holds. It ends within the turn unless a job asks for more than a slice. */
  private fill(group: Group): void | Promise<void> {
    this.slice(group);
    if (group.unfinished.length > 0) return this.goOn(group);
    this.beforeCommit();
  }

  private async goOn(group: Group): Promise<void> {
    const end = performance.now() + TRANSACTION_MS_MAX;
    while (group.unfinished.length > 0 && performance.now() < end) {
      await new Promise((resolve) => setImmediate(resolve));
      this.queue.unshift(...group.unfinished.splice(0));
      this.slice(group);
    }
    this.beforeCommit();
  }

  /** Runs each queued job until it ends or yields, while the slice lasts. */
  private slice(group: Group): void {
    const until = performance.now() + WRITE_SLICE_MS;
    do {
      const q = this.queue.shift();
      if (q === undefined) return;
      group.touched.add(q);
      try {
        const step = q.job.next();
        if (step.done === true) group.settled.push(() => q.resolve(step.value));
        else group.unfinished.push(q);
      } catch (error) {
        if (isLmdbError(error)) throw error;
        group.settled.push(() => q.reject(error));
      }
    } while (performance.now() < until);
  }
}

const isLmdbError = (e: unknown): boolean =>
  !(e instanceof MongoError) && typeof (e as { code?: unknown }).code === 'number';

/** LMDB reports a write that was cut short by a full disk as EIO. */
const NO_SPACE = new Set([MDB_MAP_FULL, ENOSPC, EDQUOT, EFBIG, EIO]);

/** A full disk is an answer that the client can act on; all else is an internal error. */
async function commitError(error: unknown): Promise<MongoError> {
  const { commitError: cause } = error as { commitError?: Promise<never> };
  // The cause is known at the end of the turn in which the commit is refused.
  const real: unknown = cause ? await Promise.race([cause.catch((e: unknown) => e), turnEnd(error)]) : error;
  const { code, message } = real as { code?: number; message?: string };
  const text = message ?? String(real);
  return code !== undefined && NO_SPACE.has(code)
    ? new MongoError(14031, `no space left to write (${text})`)
    : new MongoError(1, text);
}

const turnEnd = <T>(value: T): Promise<T> => new Promise((resolve) => setImmediate(() => resolve(value)));
