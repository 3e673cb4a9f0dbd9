import { AsyncLocalStorage } from 'node:async_hooks';
import { ServiceError } from '@receipts/kernel';
import { until } from './until';

/** The method of a database through which services open collections. */
interface Openable {
  collection(declaration: never): Promise<object>;
}

/** A database for a process whose crash is simulated. */
export interface CrashableProcess<S> {
  readonly database: S;
  /**
   * Runs all tasks at the same time, each until it ends or has started the given number of database operations. If a
   * task was stopped, the process counts as crashed: later operations do not reach the database, and no operation gets a
   * response any more.
   * @returns whether all tasks completed
   */
  survives(works: readonly (() => Promise<unknown>)[], steps: number): Promise<boolean>;
  /** Rejects all operations of a crashed process, so that it can be stopped and leaves no timers or memory behind. */
  discard(): void;
}

const cursorMakers: ReadonlySet<PropertyKey> = new Set(['find', 'aggregate']);
const cursorReads: ReadonlySet<PropertyKey> = new Set(['toArray', 'next', 'hasNext', 'tryNext', 'forEach']);

/** A task of a process, until it ends or is stopped after a number of operations. */
class Work {
  isStopped = false;
  private stop = () => {};
  private readonly stopped = new Promise<false>((resolve) => (this.stop = () => resolve(false)));

  constructor(
    readonly life: Life,
    private stepsLeft: number,
  ) {}

  /** @returns whether the task ended */
  run(work: () => Promise<unknown>): Promise<boolean> {
    const ended = working.run(this, work).then(() => {
      // Follow-up work may use any number of operations.
      this.stepsLeft = Infinity;
      if (!this.isStopped) this.life.leave();
      return !this.isStopped;
    });
    return Promise.race([ended, this.stopped]);
  }

  async step<T>(operation: () => T | Promise<T>): Promise<T> {
    const isLast = --this.stepsLeft === 0;
    if (isLast) {
      this.isStopped = true;
      this.life.leave('stopped');
    }
    try {
      return await operation();
    } finally {
      if (isLast) this.stop();
    }
  }
}

/**
 * The task that an operation belongs to. One instance for all processes, because each instance makes every promise
 * slower.
 */
const working = new AsyncLocalStorage<Work>();

class Life {
  private isDead = false;
  /** The number of tasks that have not ended and were not stopped. */
  private left = 0;
  private hasStopped = false;
  discard = () => {};
  private readonly discarded = new Promise<never>((_, reject) => {
    this.discard = () => {
      this.isDead = true;
      reject(new Error('this process has crashed'));
    };
  });

  constructor() {
    this.discarded.catch(() => undefined);
  }

  async survives(works: readonly (() => Promise<unknown>)[], steps: number): Promise<boolean> {
    this.left = works.length;
    const ended = await Promise.all(works.map((work) => new Work(this, steps).run(work)));
    return !ended.includes(false);
  }

  /** Called when a task ends or is stopped. After the last task, the process crashes if any was stopped. */
  leave(how?: 'stopped'): void {
    if (how === 'stopped') this.hasStopped = true;
    if (--this.left === 0 && this.hasStopped) this.isDead = true;
  }

  private isOver(work: Work | undefined): boolean {
    return this.isDead || work?.isStopped === true;
  }

  async run<T>(operation: () => T | Promise<T>): Promise<T> {
    const current = working.getStore();
    const work = current?.life === this ? current : undefined;
    if (this.isOver(work)) return this.discarded;
    const [outcome] = await Promise.allSettled([
      work ? work.step(operation) : Promise.resolve().then(operation),
    ]);
    if (this.isOver(work)) return this.discarded;
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }
}

type Method = (...args: unknown[]) => unknown;

/** Calls methods on the original object, because of its private members. */
function wrapped<T extends object>(target: T, around: (name: PropertyKey, call: Method) => Method): T {
  return new Proxy(target, {
    get(object, name) {
      const value: unknown = Reflect.get(object, name, object);
      return typeof value === 'function'
        ? around(name, (...args) => (value as Method).apply(object, args))
        : value;
    },
  });
}

function crashableCursor<T extends object>(cursor: T, life: Life): T {
  const proxy: T = wrapped(cursor, (name, call) => (...args) => {
    if (cursorReads.has(name)) return life.run(() => call(...args));
    const result = call(...args);
    return result === cursor ? proxy : result;
  });
  return proxy;
}

function crashableCollection<T extends object>(collection: T, life: Life): T {
  return wrapped(collection, (name, call) => (...args) => {
    if (cursorMakers.has(name)) return crashableCursor(call(...args) as object, life);
    return life.run(() => call(...args));
  });
}

/**
 * Creates databases for processes that crash in the middle of their work, all on the same real database. Collections
 * are opened only once.
 */
export function crashableDatabases<S extends Openable>(database: S): () => CrashableProcess<S> {
  const opened = new Map<string, Promise<object>>();
  const open = (declaration: never) => {
    const { name } = declaration as { name: string };
    const collection = opened.get(name) ?? database.collection(declaration);
    opened.set(name, collection);
    return collection;
  };
  return () => {
    const life = new Life();
    const collection = async (declaration: never) => crashableCollection(await open(declaration), life);
    return {
      database: { ...database, collection },
      survives: (works, steps) => life.survives(works, steps),
      discard: () => life.discard(),
    };
  };
}

const stepsMax = 100;

const unavailableStatus = 503;

/**
 * Repeats work that gets 503, as clients do. The promise is that a retry is safe, not that there is no 503: on a busy
 * machine, a database call may exceed its limit.
 */
async function repeated<T>(work: () => Promise<T>): Promise<T> {
  const done = await until('a response other than 503', () =>
    work().then(
      (value) => ({ value }),
      (error: unknown) => {
        if (error instanceof ServiceError && error.status === unavailableStatus) return undefined;
        throw error;
      },
    ),
  );
  return done.value;
}

/** A command during which the process crashes, and the assertions afterwards. All of it may run again after a 503. */
export interface InterruptedCommand<P> {
  readonly execute: (process: P) => Promise<unknown>;
  /** Called after each crash. */
  readonly afterwards: () => Promise<void>;
}

/**
 * How often a process crashes at each step of a command with an `Idempotency-Key`, since the outcome partly depends on
 * chance.
 */
export const keyedRounds = 20;

interface CrashOptions<S extends Openable, P> {
  readonly crashable: () => CrashableProcess<S>;
  readonly start: (database: S) => Promise<P>;
  /** Also called for a process that crashed, but only at the end. */
  readonly stop: (process: P) => Promise<void>;
  readonly command: () => Promise<InterruptedCommand<P>>;
  /**
   * How the 20 rounds are run: by one process that executes 20 commands at the same time, each up to the same step,
   * or by one process after another if calls in a process are batched into one operation and would wait for each other.
   */
  readonly keyed?: 'at once' | 'in turn';
}

/**
 * Executes a command repeatedly, and crashes the process after each of the database operations it needs. Each execution
 * is a new command, and each crash occurs in a new process.
 * @returns the number of operations after which it crashed
 */
export async function crashAtEveryStep<S extends Openable, P>(options: CrashOptions<S, P>): Promise<number> {
  let steps = 0;
  for (let round = 1; round <= (options.keyed === 'in turn' ? keyedRounds : 1); round++) {
    steps = await crashAtEachStepOnce(options).catch((error: unknown) => {
      throw new Error(`in round ${round}`, { cause: error });
    });
  }
  return steps;
}

async function crashAtEachStepOnce<S extends Openable, P>(options: CrashOptions<S, P>): Promise<number> {
  const atOnce = options.keyed === 'at once' ? keyedRounds : 1;
  for (let step = 1; step < stepsMax; step++) {
    const crashable = options.crashable();
    const process = await options.start(crashable.database);
    const commands: InterruptedCommand<P>[] = [];
    while (commands.length < atOnce) commands.push(await repeated(options.command));
    const works = commands.map(
      ({ execute }) =>
        () =>
          repeated(() => execute(process)),
    );
    if (await crashable.survives(works, step)) {
      await options.stop(process);
      return step - 1;
    }
    for (const { afterwards } of commands) {
      await repeated(afterwards).catch((error: unknown) => {
        throw new Error(`after a crash at operation ${step}`, { cause: error });
      });
    }
    crashable.discard();
    await options.stop(process).catch(() => undefined);
  }
  throw new Error('the command did not finish');
}
