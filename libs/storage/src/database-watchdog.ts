import { MongoClient } from 'mongodb';
import { PeriodicTask } from '@receipts/concurrency';
import { type Log } from '@receipts/kernel';

export interface WatchdogOptions {
  /** Pings the database through the client of this process, with a timeout. */
  readonly ping: () => Promise<void>;
  /** Pings the database through a new client, with a timeout. */
  readonly probe: () => Promise<void>;
  readonly log: Log;
  /** Ends the process, so that the supervisor restarts it. */
  readonly giveUp: (reason: Error) => void;
}

const everyMs = 500;
/** Together with the ping timeout, this gives a client of a busy server at least ten seconds. */
const failuresMax = 15;

/**
 * Gives up if, many times in a row, the client of this process cannot reach a database that a new client can reach. The
 * driver waits without a timeout in several places, so a client can hang forever.
 */
export function watchDatabase(options: WatchdogOptions): PeriodicTask {
  const { ping, probe, log, giveUp } = options;
  let failures = 0;
  return new PeriodicTask({
    everyMs,
    log,
    failure: 'could not check the database',
    async run() {
      // If the probe also fails, the database is unavailable to all clients.
      const isHanging = !(await succeeds(ping)) && (await succeeds(probe));
      failures = isHanging ? failures + 1 : 0;
      if (failures === failuresMax)
        giveUp(new Error('the database responds to other clients but not to this process'));
    },
  });
}

async function succeeds(work: () => Promise<void>): Promise<boolean> {
  return work().then(
    () => true,
    () => false,
  );
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
