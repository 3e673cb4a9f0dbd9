import { MongoClient, type ServerDescriptionChangedEvent } from 'mongodb';
import type { Log } from './log';

export interface WatchdogOptions {
  readonly client: MongoClient;
  /** Asks the database over the client, within a bound. */
  readonly ping: () => Promise<void>;
  /** Asks the database over a new connection, within a bound. */
  readonly probe: () => Promise<void>;
  readonly log: Log;
  /** Called when the client is dead and cannot be mended: the process should end, so that it is started again. */
  readonly giveUp: (reason: Error) => void;
  readonly everyMs?: number;
}

const everyMsDefault = 500;
/** Looks in a row in which another client reached the database and this one, which knows of no server that takes writes, did not. */
const strikesMax = 2;
/** The same for one that knows of a server: it may only be busy, and what it has in hand would be lost. */
const busyStrikesMax = 12;
const writableTypes: ReadonlySet<string> = new Set(['Standalone', 'RSPrimary', 'Mongos', 'LoadBalancer']);
const renewalsMax = 5;
const renewTimeoutMs = 3_000;

/**
 * Makes the connections of a client anew when it does not reach a database that others reach. The driver waits without bound at
 * several places, and a monitor that hangs leaves the client without a server for ever.
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

  /** @param options.client not connected yet: it tells just once of a server that it found and keeps. */
  constructor(private readonly options: WatchdogOptions) {
    options.client.on('serverDescriptionChanged', this.learn);
  }

  /** Begins to look. */
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
    // Where nobody reaches the database there is nothing to mend.
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
      return giveUp(new Error('the database answers others, but not this process'));
    }
    log.error('the database answers others: the connections of this process are made anew', {
      renewals: this.renewals,
    });
    this.servers.clear();
    const bounded = Promise.race([
      (async () => {
        await client.close();
        if (!this.stopped) await client.connect();
      })(),
      new Promise((resolve) => setTimeout(resolve, renewTimeoutMs).unref()),
    ]);
    await bounded.catch((error: unknown) => {
      log.warn('the connections to the database could not be made anew', { error: (error as Error).name });
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

/** Asks a database by a client of its own, which is used once. */
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
