import assert from 'node:assert/strict';
import type { Db } from 'mongodb';
import { dieAtEveryStep, mortalDatabases } from './mortal-database';

interface Told {
  readonly body?: unknown;
  readonly replayed?: boolean;
}

/** A command with an `Idempotency-Key`, about something of its own. */
export interface Repeatable<P> {
  readonly execute: (process: P) => Promise<Told>;
  /** How often it was done. */
  readonly effects: () => Promise<number>;
}

interface Options<S, P> {
  readonly database: S & { readonly db: Db };
  /** The collection of records of idempotency keys. */
  readonly keys: string;
  readonly start: (database: S) => Promise<P>;
  readonly stop: (process: P) => Promise<void>;
  /** A process that lives. */
  readonly survivor: P;
  readonly command: () => Promise<Repeatable<P>>;
}

/**
 * Lets a process die after each database operation of a command, and repeats the command twice at another process: it
 * must be done once, and the repetitions must get the same answer.
 * @returns the number of deaths
 */
export function repeatAfterDeaths<S extends { collection(declaration: never): Promise<object> }, P>(
  options: Options<S, P>,
): Promise<number> {
  const { database, keys, start, stop, survivor, command } = options;
  return dieAtEveryStep<S, P>({
    mortal: mortalDatabases<S>(database),
    ...{ start, stop },
    command: async () => {
      const { execute, effects } = await command();
      return {
        execute,
        async afterwards() {
          // A process that is dead gives its claim on a key back after a while.
          const expired = { $set: { leaseUntil: new Date(0) } };
          await database.db.collection(keys).updateMany({ state: 'running' }, expired);
          const first = await execute(survivor);
          const second = await execute(survivor);
          assert.deepEqual(textOf(second), textOf(first));
          assert.equal(second.replayed, true);
          assert.equal(await effects(), 1);
        },
      };
    },
  });
}

/** Answers are objects, or bytes once they were stored. */
function textOf({ body }: Told): string {
  return Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body ?? '');
}
