import type { Collection, Document } from 'mongodb';
import type { Database } from '@receipts/storage';

/** A number from 0 to below 1. */
export type Random = () => number;

const writes: ReadonlySet<PropertyKey> = new Set(['bulkWrite', 'updateOne', 'updateMany', 'deleteMany']);
const crashShare = 0.15;
const turnsMax = 6;

export class Crash extends Error {}

async function someTurns(random: Random): Promise<void> {
  for (let left = Math.floor(random() * turnsMax); left > 0; left--) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/**
 * The database of a process that may crash before or after any write, and that may write late, after others have
 * written in between. After a crash, none of its writes reach the database.
 */
export function unreliableProcess(database: Database, random: Random): Database {
  let isDead = false;
  const crash = (): never => {
    isDead = true;
    throw new Crash('this process has crashed');
  };
  const write = async (run: () => unknown): Promise<unknown> => {
    await someTurns(random);
    if (isDead || random() < crashShare) crash();
    const result = await run();
    if (random() < crashShare) crash();
    return result;
  };
  const around = <T extends object>(target: T, names: ReadonlySet<PropertyKey>): T =>
    new Proxy(target, {
      get(object, name) {
        const value: unknown = Reflect.get(object, name, object);
        if (name === 'db') return around(value as object, new Set(['command']));
        if (typeof value !== 'function') return value;
        const call = (...args: unknown[]): unknown =>
          (value as (...all: unknown[]) => unknown).apply(object, args);
        return names.has(name) ? (...args: unknown[]) => write(() => call(...args)) : call;
      },
    });
  return {
    ...database,
    async collection<T extends Document>(declaration: never): Promise<Collection<T>> {
      return around(await database.collection<T>(declaration), writes);
    },
  } as Database;
}
