import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient, type Db, type MongoClientOptions } from 'mongodb';
import { startEmbeddedMongo, type EmbeddedMongo } from '../index';

export interface TestServer {
  readonly folder: string;
  readonly server: EmbeddedMongo;
  readonly client: MongoClient;
  readonly db: Db;
  stop(): Promise<void>;
}

export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'embedded-mongo-'));

/** A server in this process with its own folder, and a client. An internal error of the server fails the test. */
export async function startTestServer(
  options: MongoClientOptions = {},
  folder = temporaryFolder(),
): Promise<TestServer> {
  const faults: unknown[] = [];
  const server = await startEmbeddedMongo({ path: folder, onFault: (e) => faults.push(e) });
  const client = await new MongoClient(server.uri, options).connect();
  return {
    folder,
    server,
    client,
    db: client.db('test'),
    stop: async () => {
      await client.close();
      await server.close();
      rmSync(folder, { recursive: true, force: true });
      if (faults.length > 0) throw faults[0];
    },
  };
}

/** The error with which a promise is rejected. */
export async function errorOf(promise: Promise<unknown>): Promise<Error & { code?: number }> {
  try {
    await promise;
  } catch (error) {
    return error as Error & { code?: number };
  }
  throw new Error('expected an error');
}

/** Waits for a condition, up to a timeout. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  ms = 60_000,
): Promise<void> {
  const end = Date.now() + ms;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`timed out waiting for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
