import { AsyncLocalStorage } from 'node:async_hooks';

/** The method of a database through which services open collections. */
interface Openable {
  collection(declaration: never): Promise<object>;
}

/** A database for a process whose crash is simulated. */
export interface Mortal<S> {
  readonly database: S;
  /**
   * Runs `work`. After it has started the given number of database operations the process counts as dead: later
   * operations do not reach the database, and no operation gets a response any more.
   * @returns whether the work completed
   */
  survives(work: () => Promise<unknown>, steps: number): Promise<boolean>;
  /** Rejects all operations of a dead process, so that it can be stopped and leaves no timers and no memory behind. */
  bury(): void;
}

const cursorMakers: ReadonlySet<PropertyKey> = new Set(['find', 'aggregate']);
const cursorReads: ReadonlySet<PropertyKey> = new Set(['toArray', 'next', 'hasNext', 'tryNext', 'forEach']);

/** The process whose work an operation belongs to. One for all: each instance makes every promise slower. */
const working = new AsyncLocalStorage<Life>();

class Life {
  private stepsLeft = 0;
  private isDead = false;
  private die = () => {};
  private readonly death = new Promise<void>((resolve) => (this.die = resolve));
  bury = () => {};
  private readonly burial = new Promise<never>((_, reject) => {
    this.bury = () => {
      this.isDead = true;
      reject(new Error('this process has crashed'));
    };
  });

  constructor() {
    this.burial.catch(() => undefined);
  }

  survives(work: () => Promise<unknown>, steps: number): Promise<boolean> {
    this.stepsLeft = steps;
    const ended = working.run(this, work).then(() => {
      // Follow-up work may use any number of operations.
      this.stepsLeft = Infinity;
      return !this.isDead;
    });
    return Promise.race([ended, this.death.then(() => false)]);
  }

  async run<T>(operation: () => T | Promise<T>): Promise<T> {
    if (this.isDead) return this.burial;
    const isLast = working.getStore() === this && --this.stepsLeft === 0;
    if (isLast) this.isDead = true;
    const [outcome] = await Promise.allSettled([Promise.resolve().then(operation)]);
    if (isLast) this.die();
    if (this.isDead) return this.burial;
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

function mortalCursor<T extends object>(cursor: T, life: Life): T {
  const proxy: T = wrapped(cursor, (name, call) => (...args) => {
    if (cursorReads.has(name)) return life.run(() => call(...args));
    const result = call(...args);
    return result === cursor ? proxy : result;
  });
  return proxy;
}

function mortalCollection<T extends object>(collection: T, life: Life): T {
  return wrapped(collection, (name, call) => (...args) => {
    if (cursorMakers.has(name)) return mortalCursor(call(...args) as object, life);
    return life.run(() => call(...args));
  });
}

/**
 * Creates databases for processes that crash in the middle of their work, all on the same real database. Collections
 * are opened only once.
 */
export function mortalDatabases<S extends Openable>(database: S): () => Mortal<S> {
  const opened = new Map<string, Promise<object>>();
  const open = (declaration: never) => {
    const { name } = declaration as { name: string };
    const collection = opened.get(name) ?? database.collection(declaration);
    opened.set(name, collection);
    return collection;
  };
  return () => {
    const life = new Life();
    const collection = async (declaration: never) => mortalCollection(await open(declaration), life);
    return {
      database: { ...database, collection },
      survives: (work, steps) => life.survives(work, steps),
      bury: () => life.bury(),
    };
  };
}

const stepsMax = 100;

/** A command during which the process crashes, and the assertions afterwards. */
export interface Doomed<P> {
  readonly execute: (process: P) => Promise<unknown>;
  /** Called after each crash. */
  readonly afterwards: () => Promise<void>;
}

/** How often a process crashes at each step of a command with an `Idempotency-Key`: chance differs between rounds. */
export const keyedRounds = 20;

/**
 * Repeats a command, and lets the process crash after each of the database operations it needs. Each repetition has a
 * new process and a new command.
 * @param options.isKeyed whether all this is done 20 times
 * @returns the number of operations after which it has crashed
 */
export async function dieAtEveryStep<S extends Openable, P>(options: {
  readonly mortal: () => Mortal<S>;
  readonly start: (database: S) => Promise<P>;
  /** Called for a process that crashed as well, but only when all is over. */
  readonly stop: (process: P) => Promise<void>;
  readonly command: () => Promise<Doomed<P>>;
  readonly isKeyed?: boolean;
}): Promise<number> {
  let steps = 0;
  for (let round = 1; round <= (options.isKeyed ? keyedRounds : 1); round++) {
    steps = await crashAtEveryStep(options).catch((error: unknown) => {
      throw new Error(`in round ${round}`, { cause: error });
    });
  }
  return steps;
}

async function crashAtEveryStep<S extends Openable, P>(
  options: Parameters<typeof dieAtEveryStep<S, P>>[0],
): Promise<number> {
  for (let step = 1; step < stepsMax; step++) {
    const mortal = options.mortal();
    const process = await options.start(mortal.database);
    const { execute, afterwards } = await options.command();
    if (await mortal.survives(() => execute(process), step)) {
      await options.stop(process);
      return step - 1;
    }
    await afterwards().catch((error: unknown) => {
      throw new Error(`after a crash at operation ${step}`, { cause: error });
    });
    mortal.bury();
    await options.stop(process).catch(() => undefined);
  }
  throw new Error('the command does not end');
}
