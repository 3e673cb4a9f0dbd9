import type { Tracing } from '@receipts/kernel';
import { MongoClient, type Collection, type Db, type Document } from 'mongodb';
import { traceCommands } from './command-spans';
import { openCollection, type CollectionDeclaration } from './collection';
import { storageFault, databaseTimeoutMs } from './faults';
import type { Log, StorageMetrics } from './log';
import { releaseWrites } from './released-writes';
import { probeDatabase, DatabaseWatchdog } from './database-watchdog';

export interface DatabaseOptions {
  /** MongoDB connection string, with credentials where there are any. */
  readonly uri: string;
  readonly database: string;
  /** Appears in the server's log and list of connections. */
  readonly service: string;
  readonly log: Log;
  readonly metrics?: StorageMetrics;
  /** Records a span for each command that belongs to traced work; none without it. */
  readonly tracing?: Tracing | undefined;
  /** How long to wait for a database that is not there yet when the process starts. */
  readonly connectTimeoutMs?: number;
  /** Connections in the pool; more work than that waits for a second and is then refused. */
  readonly poolSizeMax?: number;
  /** Called when this process alone does not reach the database, whatever was tried; ends the process unless given. */
  readonly giveUp?: (reason: Error) => void;
}

export interface Database {
  readonly db: Db;
  readonly metrics: StorageMetrics | undefined;
  /** Opens a collection with the indexes that it needs; see `openCollection`. */
  collection<T extends Document>(declaration: CollectionDeclaration): Promise<Collection<T>>;
  /** @throws Error when the database does not answer within 0.7 s; for readiness. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

const defaultConnectTimeoutMs = 45_000;
const defaultPoolSizeMax = 50;
/** Connections that stay open, so that the first burst after a quiet time does not wait for handshakes. */
const poolSizeMin = 4;
/** Handshakes at a time; with the driver's 2 a burst on a cold pool would run into the time-out of the queue. */
const handshakesMax = 8;
const serverSelectionTimeoutMs = 2_000;
const waitQueueTimeoutMs = 1_000;
/** A little more than the budget of a call, for the calls that bring no signal of their own. */
const socketTimeoutMs = databaseTimeoutMs + 500;
const pingTimeoutMs = 700;
const retryDelayMs = 500;

/** Like an error that nobody catches: the host stops in order and exits with 1, and the supervisor starts it again. */
function endProcess(reason: Error): void {
  setImmediate(() => {
    throw reason;
  });
}

async function connected(client: MongoClient, log: Log, untilMs: number): Promise<void> {
  for (;;) {
    try {
      await client.connect();
      return;
    } catch (error) {
      if (!storageFault(error) || Date.now() >= untilMs) throw error;
      log.warn('the database is not there yet', { error: (error as Error).name });
      await new Promise((resolve) => setTimeout(resolve, retryDelayMs));
    }
  }
}

/**
 * Connects to the database of a service. Writes are acknowledged by a majority and journaled; every wait is bounded, as the
 * driver's defaults would wait for ever.
 * @throws Error when the database cannot be reached within `connectTimeoutMs`.
 */
export async function connectDatabase(options: DatabaseOptions): Promise<Database> {
  const { log, metrics, tracing, connectTimeoutMs = defaultConnectTimeoutMs } = options;
  releaseWrites();
  const client = new MongoClient(options.uri, {
    appName: `receipts-${options.service}`,
    maxPoolSize: options.poolSizeMax ?? defaultPoolSizeMax,
    minPoolSize: Math.min(poolSizeMin, options.poolSizeMax ?? defaultPoolSizeMax),
    maxConnecting: handshakesMax,
    serverSelectionTimeoutMS: serverSelectionTimeoutMs,
    connectTimeoutMS: serverSelectionTimeoutMs,
    waitQueueTimeoutMS: waitQueueTimeoutMs,
    socketTimeoutMS: socketTimeoutMs,
    writeConcern: { w: 'majority', journal: true },
    retryReads: true,
    retryWrites: true,
    ignoreUndefined: true,
    ...(tracing && { monitorCommands: true }),
  });
  if (tracing) traceCommands(client, tracing);
  const db = client.db(options.database);
  const ping = async () => {
    await db.command({ ping: 1 }, { signal: AbortSignal.timeout(pingTimeoutMs) });
  };
  const watchdog = new DatabaseWatchdog({
    client,
    ping,
    probe: () => probeDatabase(options.uri, pingTimeoutMs),
    log,
    giveUp: options.giveUp ?? endProcess,
  });
  try {
    await connected(client, log, Date.now() + connectTimeoutMs);
  } catch (error) {
    await watchdog.stop();
    await client.close().catch(() => undefined);
    throw error;
  }
  watchdog.start();
  return {
    db,
    metrics,
    collection: (declaration) => openCollection(db, declaration, log),
    ping,
    async close() {
      await watchdog.stop();
      await client.close();
    },
  };
}
