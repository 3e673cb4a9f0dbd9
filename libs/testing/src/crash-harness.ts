import assert from 'node:assert/strict';
import type { Db } from 'mongodb';
import { startMongo, type Mongo } from './mongo';
import { crashAtEveryStep, crashableDatabases } from './crash-injection';

interface GivenReply {
  readonly body?: unknown;
  readonly meta?: unknown;
  readonly replayed?: boolean;
}

interface OpenDatabase {
  readonly db: Db;
  collection(declaration: never): Promise<object>;
  close(): Promise<void>;
}

interface Stoppable {
  stop(): Promise<void>;
}

/** A command with an `Idempotency-Key` that acts on its own object. */
export interface Repeatable<P> {
  readonly execute: (process: P) => Promise<GivenReply>;
  /** The number of times that the command took effect. */
  readonly effects: () => Promise<number>;
}

interface Options<S, P> {
  readonly open: (uri: string) => Promise<S>;
  /** The collection of records of idempotency keys. */
  readonly keys: string;
  readonly start: (database: S) => Promise<P>;
}

/** A database, a process that keeps running, and processes that crash. */
export class CrashHarness<S extends OpenDatabase, P extends Stoppable> {
  private constructor(
    private readonly options: Options<S, P>,
    private readonly mongo: Mongo,
    readonly database: S,
    readonly survivor: P,
  ) {}

  static async begin<S extends OpenDatabase, P extends Stoppable>(
    options: Options<S, P>,
  ): Promise<CrashHarness<S, P>> {
    const mongo = await startMongo();
    const database = await options.open(mongo.uri);
    return new CrashHarness(options, mongo, database, await options.start(database));
  }

  /**
   * Crashes a process after each database operation of a command, and retries the command twice in another process: the
   * command must take effect once, and both retries must get the same reply.
   * @returns the number of operations after which it crashed
   */
  repeatAfterCrashes(command: () => Promise<Repeatable<P>>): Promise<number> {
    const { database, survivor } = this;
    const { keys, start } = this.options;
    return crashAtEveryStep<S, P>({
      crashable: crashableDatabases<S>(database),
      start,
      stop: (process) => process.stop(),
      keyed: 'in turn',
      command: async () => {
        const { execute, effects } = await command();
        return {
          execute,
          async afterwards() {
            // The claim of a crashed process on a key expires after a while.
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

  async end(): Promise<void> {
    await this.survivor.stop();
    await this.database.close();
    await this.mongo.stop();
  }
}

/** Reply bodies are objects, or bytes after they have been stored. */
function textOf({ body, meta }: GivenReply): string[] {
  const text = Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body ?? '');
  return [text, JSON.stringify(meta ?? {})];
}
