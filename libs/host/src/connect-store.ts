import { connectDatabase, type CommitQuorum, type Database } from '@receipts/storage';
import type { Log, Tracing } from '@receipts/kernel';
import type { Metrics } from './metrics';
import type { Settings } from './settings';
import { databaseOf, type storeSettings } from './shared-settings';
import { storageMetrics } from './storage-metrics';

export type StoreSettings = Settings<ReturnType<typeof storeSettings>>;

export interface Store {
  readonly database: Database;
  /** The unpublished events, by collection. */
  readonly backlogs: ReturnType<typeof storageMetrics>['backlogs'];
}

/** A text of digits is a number of members; any other, the name of a quorum. */
const commitQuorumOf = (text: string | undefined): CommitQuorum | undefined =>
  text !== undefined && /^\d/.test(text) ? Number(text) : (text as CommitQuorum | undefined);

/** Connects a service to its own database. */
export async function connectStore(
  service: string,
  settings: StoreSettings,
  host: { readonly log: Log; readonly metrics: Metrics; readonly tracing: Tracing | undefined },
): Promise<Store> {
  const metrics = storageMetrics(host.metrics);
  const database = await connectDatabase({
    service,
    metrics,
    log: host.log,
    tracing: host.tracing,
    uri: settings.MONGODB_URI,
    commitQuorum: commitQuorumOf(settings.MONGODB_COMMIT_QUORUM),
    database: databaseOf(settings, service),
  });
  return { database, backlogs: () => metrics.backlogs() };
}
