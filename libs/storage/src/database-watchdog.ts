import { MongoClient, type ServerDescriptionChangedEvent } from 'mongodb';
import { within, type Log } from '@receipts/kernel';

export interface WatchdogOptions {
  readonly client: MongoClient;
  /** Pings the database through the client, with a timeout. */
  readonly ping: () => Promise<void>;
  /** Pings the database through a new connection, with a timeout. */
  readonly probe: () => Promise<void>;
  readonly log: Log;
  /**
   * Called when renewing the client has failed repeatedly. The process should end, so that the supervisor
   * restarts it.
   */
  readonly giveUp: (reason: Error) => void;
  readonly everyMs?: number;
}

const everyMsDefault = 500;
/**
 * Consecutive checks in which the probe succeeded and the ping failed, while the client knows of no writable server.
 */
const strikesMax = 2;
/**
 * The same while the client knows of a writable server. It may only be busy, and renewing it would lose its
 * operations in flight.
 */
const busyStrikesMax = 12;
const writableTypes: ReadonlySet<string> = new Set(['Standalone', 'RSPrimary', 'Mongos', 'LoadBalancer']);
const renewalsMax = 5;
const renewTimeoutMs = 3_000;

/**
 * Renews the connections of a client that cannot reach a database which a new client reaches. The driver waits
 * without a timeout in several places, and a hanging monitor leaves the client without a server forever.
 */
export class DatabaseWatchdog {
  private readonly servers = new Map<string, string>();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private strikes = 0;
  private renewals = 0;
  private stopped = false;
  private readonly learn = ({ address, newDescription }: ServerDescriptionChangedEvent) =>
    void this.servers.set(address, newDescription.type);

  /**
   * @param options.client not connected yet, because a server that does not change emits its description only once
   */
  constructor(private readonly options: WatchdogOptions) {
    options.client.on('serverDescriptionChanged', this.learn);
  }

  start(): void {
    this.schedule();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    this.options.client.off('serverDescriptionChanged', this.learn);
    await this.looking;
  }

  private schedule(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.looking = this.look().finally(() => this.schedule());
    }, this.options.everyMs ?? everyMsDefault).unref();
  }

  private async look(): Promise<void> {
    const { ping, probe } = this.options;
    if (await succeeds(ping)) {
      this.strikes = this.renewals = 0;
      return;
    }
    // If the probe fails too, the database is unavailable and renewing connections cannot help.
    if (this.stopped || !(await succeeds(probe))) return void (this.strikes = 0);
    this.strikes++;
    const knowsServer = [...this.servers.values()].some((type) => writableTypes.has(type));
    if (this.stopped || this.strikes < (knowsServer ? busyStrikesMax : strikesMax)) return;
    this.strikes = 0;
    await this.renew();
  }

  private async renew(): Promise<void> {
    const { client, log, giveUp } = this.options;
    if (++this.renewals > renewalsMax) {
      return giveUp(new Error('the database responds to other clients but not to this process'));
    }
    log.error('the database responds to other clients but not to this process: reconnecting', {
      renewals: this.renewals,
    });
    this.servers.clear();
    const reconnect = async () => {
      await client.close();
      if (!this.stopped) await client.connect();
    };
    await within(renewTimeoutMs, 'renewing the connections', reconnect()).catch((error: unknown) => {
      log.warn('the connections to the database could not be renewed', { error });
    });
  }
}

async function succeeds(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch {
    return false;
  }
}

/** Pings a database through a new client that is closed afterwards. */
export async function probeDatabase(uri: string, timeoutMs: number): Promise<void> {
  const client = new MongoClient(uri, {
    maxPoolSize: 1,
    serverSelectionTimeoutMS: timeoutMs,
    connectTimeoutMS: timeoutMs,
    socketTimeoutMS: timeoutMs,
    waitQueueTimeoutMS: timeoutMs,
  });
  try {
    await client.db('admin').command({ ping: 1 }, { signal: AbortSignal.timeout(timeoutMs) });
  } finally {
    await client.close().catch(() => undefined);
  }
}
