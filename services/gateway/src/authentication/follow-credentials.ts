import { adminEvents } from '@receipts/contracts';
import { on, type Broker, type Subscription } from '@receipts/messaging';
import { PeriodicTask, RetriedTask } from '@receipts/concurrency';
import { type Log } from '@receipts/kernel';
import { adminCredentials } from './admin-credentials';
import { BearerTokens } from './authenticator';
import type { OpenSeal } from './credential';
import { CredentialBook } from './credential-book';
import { RecentCalls } from './recent-calls';

const retryFirstMs = 250;
/** Short, because revocations may have been missed. */
const retryMaxMs = 1_000;
const tokenUsesEveryMs = 30_000;
/** People who set up an integration watch its calls in the portal. */
const callsEveryMs = 2_000;

export interface FollowedCredentials {
  readonly credentials: CredentialBook;
  readonly bearer: BearerTokens;
  readonly calls: RecentCalls;
  readonly subscription: Subscription;
  /** Reads all credentials again, as events may have been lost. */
  readonly resync: () => void;
  /**
   * Reads all credentials immediately and again every `refreshMs`, and reports uses of tokens and calls of clients to
   * admin.
   */
  start(refreshMs: number): void;
  stop(): Promise<void>;
}

/** The credentials of all retailers, as stored by admin. */
export function followCredentials({
  broker,
  openSeal,
  log,
}: {
  readonly broker: Broker;
  readonly openSeal: OpenSeal;
  readonly log: Log;
}): FollowedCredentials {
  const admin = adminCredentials(broker);
  const credentials = new CredentialBook({ source: admin, openSeal, log });
  const bearer = new BearerTokens(credentials);
  const reading = new RetriedTask({
    ...{ retryFirstMs, retryMaxMs, log },
    run: async (signal) => {
      await credentials.readAll(signal);
      return true;
    },
    failure: 'the credentials could not be read; retrying',
  });
  const resync = () => reading.request();
  const calls = new RecentCalls();
  let refreshing: NodeJS.Timeout | undefined;
  let reports: readonly PeriodicTask[] = [];
  const { clientCreated, clientUpdated, clientRevoked } = adminEvents;
  return {
    credentials,
    bearer,
    calls,
    subscription: on([clientCreated, clientUpdated, clientRevoked], async (events) => {
      for (const event of events) credentials.follow(event);
    }),
    resync,
    start(refreshMs) {
      resync();
      if (refreshMs > 0) refreshing = setInterval(resync, refreshMs).unref();
      const report = (everyMs: number, run: () => Promise<void>, failure: string) =>
        new PeriodicTask({ everyMs, run, log, failure });
      reports = [
        report(
          tokenUsesEveryMs,
          () => admin.recordTokenUses(bearer.drainTokenUses()),
          'could not report uses of tokens',
        ),
        report(callsEveryMs, () => admin.recordCalls(calls.take()), 'could not report calls of clients'),
      ];
    },
    async stop() {
      clearInterval(refreshing);
      // Not awaited: admin may not reply any more.
      void reading.stop();
      await Promise.all(reports.map((report) => report.attempt().then(() => report.stop())));
    },
  };
}
