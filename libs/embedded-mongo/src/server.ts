import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Session } from './commands/session';
import { atOnce } from './commands/collections';
import { answer } from './commands/dispatch';
import type { Engine } from './commands/engine';
import { Cursors } from './commands/cursors';
import { Scram, type Credentials } from './commands/scram';
import { Catalog } from './store/catalog';
import { Documents } from './store/documents';
import { checkpoint, Storage, type CheckpointLimits } from './store/storage';
import { lockFolder } from './store/folder-lock';
import { verifyNewest } from './store/verify';
import { clearGarbage, deleteExpired, dropUnfinished } from './sweeper';
import { WriteQueue } from './store/write-queue';
import { Connection } from './wire/connection';

export interface EmbeddedMongoOptions {
  /** The data folder. It is created if it does not exist. */
  readonly path: string;
  /** Default: 127.0.0.1. If there are no `credentials`, every client that can connect has full access. */
  readonly host?: string;
  /** The only user, authenticated with SCRAM-SHA-256. Default: no authentication. */
  readonly credentials?: Credentials | undefined;
  /** Default: 0, a free port. */
  readonly port?: number;
  /**
   * The interval at which expired documents and the data of dropped collections and indexes are deleted. Default:
   * 60,000.
   */
  readonly sweepEveryMs?: number;
  /** For tests: whether queries without a sort, whose order is not promised, read backwards. Default: false. */
  readonly readsBackwards?: boolean;
  /** When changes are flushed to the data file. Default: after 16 MB of log, 150,000 changed keys, or 5 seconds. */
  readonly checkpoint?: Partial<CheckpointLimits>;
  /** Called with internal errors, not with errors that are returned to clients. Default: one line on stderr. */
  readonly onFault?: (error: unknown) => void;
}

const defaultSweepEveryMs = 60_000;

/** Starts a server in this process. Throws if the folder is in use or the port is taken. */
export async function startEmbeddedMongo(options: EmbeddedMongoOptions): Promise<EmbeddedMongo> {
  const { path, host = '127.0.0.1', port = 0, sweepEveryMs = defaultSweepEveryMs } = options;
  const onFault =
    options.onFault ??
    ((e: unknown) => process.stderr.write(`embedded-mongo: ${(e as Error).stack ?? String(e)}\n`));
  const release = await lockFolder(path);
  try {
    const storage = await Storage.open(path, { ...checkpoint, ...options.checkpoint });
    storage.environment.readsBackwards = options.readsBackwards ?? false;
    const started = new EmbeddedMongo(storage, onFault, release, options.credentials);
    try {
      await started.prepare();
      await started.listen(host, port);
    } catch (error) {
      await started.close();
      throw error;
    }
    started.sweepEvery(sweepEveryMs);
    return started;
  } catch (error) {
    release();
    throw error;
  }
}

/** A running server. */
export class EmbeddedMongo {
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;
  private readonly engine: Engine;
  private connectionIds = 0;
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<void> | undefined;
  private closing: Promise<void> | undefined;
  private active = 0;
  private host = '';

  constructor(
    private readonly storage: Storage,
    private readonly onFault: (error: unknown) => void,
    private readonly release: () => void,
    private readonly credentials: Credentials | undefined,
  ) {
    const { environment } = storage;
    const catalog = new Catalog(environment);
    this.engine = {
      environment,
      catalog,
      documents: new Documents(environment, catalog),
      writes: new WriteQueue(storage, catalog),
      cursors: new Cursors(),
      scram: credentials && new Scram(credentials),
    };
    this.server = createServer((socket) => this.accept(socket));
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** A connection string for MongoDB drivers. */
  get uri(): string {
    const host = this.host.includes(':') ? `[${this.host}]` : this.host;
    const { user, password } = this.credentials ?? {};
    const who = user === undefined ? '' : `${encodeURIComponent(user)}:${encodeURIComponent(password!)}@`;
    return `mongodb://${who}${host}:${this.port}/?directConnection=true`;
  }

  async prepare(): Promise<void> {
    const { environment, documents, catalog, writes } = this.engine;
    verifyNewest(environment, catalog, documents);
    await writes.submit(atOnce(() => dropUnfinished(catalog)));
  }

  listen(host: string, port: number): Promise<void> {
    this.host = host;
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, () => {
        this.server.off('error', reject);
        this.server.on('error', this.onFault);
        resolve();
      });
    });
  }

  sweepEvery(ms: number): void {
    this.timer = setInterval(() => {
      this.sweep().catch((e: unknown) => {
        if (this.closing === undefined) this.onFault(e);
      });
    }, ms);
    this.timer.unref();
  }

  /** Deletes expired documents and dropped data immediately. Resolves when the deletion is on disk. */
  async sweep(): Promise<void> {
    this.sweeping ??= this.sweepOnce().finally(() => {
      this.sweeping = undefined;
    });
    return this.sweeping;
  }

  private async sweepOnce(): Promise<void> {
    await deleteExpired(this.engine, Date.now());
    await clearGarbage(this.engine);
  }

  private accept(socket: Socket): void {
    const session: Session = { connectionId: ++this.connectionIds, authenticated: false };
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    new Connection(
      socket,
      async (request) => {
        this.active++;
        try {
          return await answer(request, session, this.engine, this.onFault);
        } finally {
          this.active--;
        }
      },
      this.onFault,
    );
  }

  /** Finishes pending requests, then closes all connections and files. */
  close(): Promise<void> {
    this.closing ??= this.closeOnce();
    return this.closing;
  }

  private async closeOnce(): Promise<void> {
    clearInterval(this.timer);
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    await this.engine.writes.close();
    // Replies to the last group of writes are sent in the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    for (const socket of this.sockets) socket.destroySoon();
    const until = Date.now() + closeWaitMs;
    while (this.active > 0 && Date.now() < until) await new Promise((resolve) => setImmediate(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
    await this.storage.close();
    this.release();
  }
}

/** The time limit for running reads when the server closes. */
const closeWaitMs = 1_000;
