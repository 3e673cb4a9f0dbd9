import { AsyncLocalStorage } from 'node:async_hooks';

/** The part of a database that services open it by. */
interface Openable {
  collection(declaration: never): Promise<object>;
}

/** A database for one process that can die. */
export interface Mortal<S> {
  readonly database: S;
  /**
   * Does some work. After the given number of operations that it causes the process is dead: nothing that it does later
   * reaches the database, and nothing is ever answered to it.
   * @returns whether it came to its end
   */
  survives(work: () => Promise<unknown>, steps: number): Promise<boolean>;
}

const never = new Promise<never>(() => {});
const cursorMakers: ReadonlySet<PropertyKey> = new Set(['find', 'aggregate']);
const cursorReads: ReadonlySet<PropertyKey> = new Set(['toArray', 'next', 'hasNext', 'tryNext', 'forEach']);

class Life {
  /** Tells what the work causes from what the process does in any case. */
  private readonly work = new AsyncLocalStorage<true>();
  private stepsLeft = 0;
  private isDead = false;
  private die = () => {};
  private readonly death = new Promise<void>((resolve) => (this.die = resolve));

  survives(work: () => Promise<unknown>, steps: number): Promise<boolean> {
    this.stepsLeft = steps;
    const ended = this.work.run(true, work).then(() => {
      // What still follows from it may take as many operations as it likes.
      this.stepsLeft = Infinity;
      return !this.isDead;
    });
    return Promise.race([ended, this.death.then(() => false)]);
  }

  async run<T>(operation: () => T | Promise<T>): Promise<T> {
    if (this.isDead) return never;
    const isLast = this.work.getStore() === true && --this.stepsLeft === 0;
    if (isLast) this.isDead = true;
    const result = await operation();
    if (isLast) this.die();
    return this.isDead ? never : result;
  }
}

type Method = (...args: unknown[]) => unknown;

/** Calls methods on the object itself, as its private members want it. */
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
 * Gives databases for processes that die in the middle of their work, all over one database that does not. Collections are opened
 * once for all of them.
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
    };
  };
}

const stepsMax = 100;

/** A command that is executed by a process that dies, and whatever there is to say about it then. */
export interface Doomed<P> {
  readonly execute: (process: P) => Promise<unknown>;
  /** Called after each death. */
  readonly afterwards: () => Promise<void>;
}

/**
 * Lets a process die after each of the operations that a command needs, which is before the next: for each death another
 * process and another command.
 * @returns how many died
 */
export async function dieAtEveryStep<S extends Openable, P>(options: {
  readonly mortal: () => Mortal<S>;
  readonly start: (database: S) => Promise<P>;
  /** For the process that has survived; the dead do nothing any more. */
  readonly stop: (process: P) => Promise<void>;
  readonly command: () => Promise<Doomed<P>>;
}): Promise<number> {
  let deaths = 0;
  while (deaths < stepsMax) {
    const mortal = options.mortal();
    const process = await options.start(mortal.database);
    const { execute, afterwards } = await options.command();
    if (await mortal.survives(() => execute(process), deaths + 1)) {
      await options.stop(process);
      return deaths;
    }
    deaths++;
    await afterwards();
  }
  throw new Error('the command does not end');
}
