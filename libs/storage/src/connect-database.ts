import { pause } from '@receipts/concurrency';
import { crashProcess, type Tracing, type Log } from '@receipts/kernel';
import { MongoClient, type Collection, type Db, type Document } from 'mongodb';
import { traceCommands } from './command-spans';
import { CollectionWatch } from './collection-watch';
import { openCollection, type CollectionDeclaration, type CommitQuorum } from './collection';
import { toUnavailableError, databaseTimeoutMs } from './faults';
import type { StorageMetrics } from './ports';
import { fixDriverDrain } from './driver-drain-fix';
import { probeDatabase, watchDatabase } from './database-watchdog';

export interface DatabaseOptions {
  /** MongoDB connection string, including credentials if there are any. */
  readonly uri: string;
  readonly database: string;
  /** Appears in the server's log and its list of connections. */
  readonly service: string;
  readonly log: Log;
  readonly metrics?: StorageMetrics;
  /** Records a span for each command that belongs to traced work; if absent, no spans are recorded. */
  readonly tracing?: Tracing | undefined;
  /** How many members must be ready to commit an index; by default, all voting members. */
  readonly commitQuorum?: CommitQuorum | undefined;
  /** How long to wait on startup for a database that is not available yet. */
  readonly connectTimeoutMs?: number;
  /** Maximum size of the connection pool. Further operations wait for 1 s and are then rejected. */
  readonly poolSizeMax?: number;
  /** Called when only this process cannot reach the database; by default, ends the process. */
  readonly giveUp?: (reason: Error) => void;
}

export interface Database {
  readonly db: Db;
  readonly metrics: StorageMetrics | undefined;
  /** Opens a collection and creates its indexes; see `openCollection`. */
  collection<T extends Document>(declaration: CollectionDeclaration): Promise<Collection<T>>;
  /**
   * Calls the listener once the indexes of a collection that was dropped while the service was running have been
   * recreated, or once a sharded cluster has moved the collection.
   * @returns a function that stops these calls
   */
  onCollectionLost(listener: () => void): () => void;
  /** For readiness. @throws Error if the database does not respond within 0.7 s */
  ping(): Promise<void>;
  close(): Promise<void>;
}

const defaultConnectTimeoutMs = 45_000;
const defaultPoolSizeMax = 50;
/** Connections that stay open, so that the first burst after an idle period does not wait for handshakes. */
const poolSizeMin = 4;
/**
 * Concurrent handshakes; with the driver's default of 2, a burst on a cold pool would exceed the wait queue timeout.
 */
const handshakesMax = 8;
const serverSelectionTimeoutMs = 2_000;
const waitQueueTimeoutMs = 1_000;
/** Slightly longer than the timeout of one database call, for calls without a signal. */
const socketTimeoutMs = databaseTimeoutMs + 500;
const pingTimeoutMs = 700;
const retryDelayMs = 500;

async function connected(client: MongoClient, log: Log, untilMs: number): Promise<void> {
  for (;;) {
    try {
      await client.connect();
      return;
    } catch (error) {
      if (!toUnavailableError(error) || Date.now() >= untilMs) throw error;
      log.warn('the database is not available yet', { error });
      await pause(retryDelayMs);
    }
  }
}

function newClient({
  uri,
  service,
  poolSizeMax = defaultPoolSizeMax,
  tracing,
}: DatabaseOptions): MongoClient {
  return new MongoClient(uri, {
    appName: `receipts-${service}`,
    maxPoolSize: poolSizeMax,
    minPoolSize: Math.min(poolSizeMin, poolSizeMax),
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
}

/**
 * Connects to the database of a service. Writes are acknowledged by a majority and journaled. Every wait has
 * a timeout, because the driver's defaults would wait forever.
 * @throws Error if the database cannot be reached within `connectTimeoutMs`
 */
export async function connectDatabase(options: DatabaseOptions): Promise<Database> {
  const { log, metrics, tracing, commitQuorum, connectTimeoutMs = defaultConnectTimeoutMs } = options;
  fixDriverDrain();
  const client = newClient(options);
  if (tracing) traceCommands(client, tracing);
  const db = client.db(options.database);
  const ping = async () => {
    await db.command({ ping: 1 }, { signal: AbortSignal.timeout(pingTimeoutMs) });
  };
  try {
    await connected(client, log, Date.now() + connectTimeoutMs);
  } catch (error) {
    await client.close().catch(() => undefined);
    throw error;
  }
  const probe = () => probeDatabase(options.uri, pingTimeoutMs);
  const watchdog = watchDatabase({ ping, probe, log, giveUp: options.giveUp ?? crashProcess });
  const open = <T extends Document>(declaration: CollectionDeclaration) =>
    openCollection<T>(db, declaration, { log, commitQuorum });
  const collections = new CollectionWatch(db, open, log);
  watchdog.start();
  collections.start();
  return {
    db,
    metrics,
    collection: (declaration) => {
      collections.add(declaration);
      return open(declaration);
    },
    onCollectionLost: (listener) => collections.onLoss(listener),
    ping,
    async close() {
      await collections.stop();
      await watchdog.stop();
      await client.close();
    },
  };
}
