import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findDatabase } from '@receipts/local/infrastructure';

/** A MongoDB for tests, private if possible. */
export interface Mongo {
  readonly uri: string;
  /** False for a server that is shared with others. Tests cannot kill or freeze it. */
  readonly isPrivate: boolean;
  /** Stops a private server and removes its data. A shared server keeps running. */
  stop(): Promise<void>;
  /** Kills a private server, as in a power failure, but keeps its data. */
  kill(): Promise<void>;
  /** Starts a private server again with the same port and data. */
  start(): Promise<void>;
  /** Freezes a private server (true), as if the machine hung, or resumes it. */
  freeze(on: boolean): void;
}

export interface MongoOptions {
  /** True for tests that kill or freeze their server, which must therefore not be shared. */
  readonly isPrivate?: boolean;
}

/** A unique database name, because the server may be shared. */
export function testDatabase(prefix = 'test'): string {
  return `${prefix}_${randomBytes(6).toString('hex')}`;
}

const shared = (uri: string): Mongo => {
  const refuse = () => {
    throw new Error('this MongoDB is shared');
  };
  return {
    uri,
    isPrivate: false,
    stop: () => Promise.resolve(),
    kill: async () => refuse(),
    start: async () => refuse(),
    freeze: refuse,
  };
};

/**
 * Provides a MongoDB: at TEST_MONGODB_URI, otherwise a private `mongod` from the PATH, otherwise the embedded server,
 * in a temporary folder and on a free port. Documents never expire in it, because tests have their own clocks. Queries
 * without a sort read backwards, so that a test of code that relies on their order fails.
 * @throws Error if it does not start in time.
 */
export async function startMongo(options: MongoOptions = {}): Promise<Mongo> {
  const given = process.env['TEST_MONGODB_URI'];
  if (given && !options.isPrivate) return shared(given);
  const dataDir = mkdtempSync(path.join(tmpdir(), 'mongo-'));
  const server = await findDatabase({ mongodbUri: undefined, dataDir, expires: false, readsBackwards: true });
  const freeze = (on: boolean) => {
    if (server.pid !== undefined) process.kill(server.pid, on ? 'SIGSTOP' : 'SIGCONT');
  };
  return {
    uri: `${server.uri}?directConnection=true`,
    isPrivate: true,
    start: () => server.start(),
    async stop() {
      await server.kill();
      rmSync(dataDir, { recursive: true, force: true });
    },
    kill: () => server.kill(),
    freeze,
  };
}
