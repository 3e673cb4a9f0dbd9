import type { Broker } from '@receipts/messaging';
import { PeriodicTask } from '@receipts/concurrency';
import type { Background } from '@receipts/host';
import { type Log } from '@receipts/kernel';
import { adminCredentials } from './admin-credentials';
import { BearerTokens } from './authenticator';
import type { OpenSeal } from './credential';
import { CredentialBook } from './credential-book';
import { RecentCalls } from './recent-calls';

const tokenUsesEveryMs = 30_000;
/** People who set up an integration watch its calls in the portal. */
const callsEveryMs = 2_000;

export interface FollowedCredentials {
  readonly credentials: CredentialBook;
  readonly bearer: BearerTokens;
  readonly calls: RecentCalls;
  /** Reports uses of tokens and calls of clients to admin. */
  readonly reports: Background;
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
  const calls = new RecentCalls();
  const report = (everyMs: number, run: () => Promise<void>, failure: string) =>
    new PeriodicTask({ everyMs, run, log, failure });
  const tasks = [
    report(
      tokenUsesEveryMs,
      () => admin.recordTokenUses(bearer.drainTokenUses()),
      'could not report uses of tokens',
    ),
    report(callsEveryMs, () => admin.recordCalls(calls.take()), 'could not report calls of clients'),
  ];
  return {
    credentials,
    bearer,
    calls,
    reports: {
      start() {
        for (const task of tasks) task.start();
      },
      stop: () => Promise.all(tasks.map((task) => task.attempt().then(() => task.stop()))),
    },
  };
}
