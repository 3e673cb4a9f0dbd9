import {
  databaseOf,
  packageVersion,
  type brokerSettings,
  type CommonSettings,
  type Host,
  type Running,
  type Settings,
} from '@receipts/host';
import type { Broker } from '@receipts/messaging';
import { connectDatabase, type CommitQuorum, type Database } from '@receipts/storage';
import { runBrokerService } from './run-broker-service';
import { storageMetrics } from './storage-metrics';

const databaseStopMs = 1_000;

interface DatabaseServiceOptions {
  readonly name: string;
  /** The folder of the service's `main.js`, directly below the package's folder. */
  readonly mainFolder: string;
  readonly settings: CommonSettings &
    Settings<typeof brokerSettings> & {
      readonly MONGODB_URI: string;
      readonly MONGODB_DATABASE?: string | undefined;
      readonly MONGODB_COMMIT_QUORUM?: string | undefined;
    };
  /** Starts the service itself. Broker and database stay connected until it has stopped. */
  start(connections: { readonly database: Database; readonly broker: Broker }, host: Host): Promise<Running>;
}

/** A text of digits is a number of members; any other, the name of a quorum. */
const commitQuorumOf = (text: string | undefined): CommitQuorum | undefined =>
  text !== undefined && /^\d/.test(text) ? Number(text) : (text as CommitQuorum | undefined);

/** Runs a service with its own database, which is connected and closed as the broker is. */
export function runDatabaseService(options: DatabaseServiceOptions): void {
  const { name, mainFolder, settings } = options;
  runBrokerService({
    ...{ name, settings, version: packageVersion(mainFolder) },
    async start(connecting, host) {
      const { log, health, tracing } = host;
      const metrics = storageMetrics(host.metrics);
      const connectingDatabase = connectDatabase({
        ...{ service: name, log, metrics, tracing },
        uri: settings.MONGODB_URI,
        commitQuorum: commitQuorumOf(settings.MONGODB_COMMIT_QUORUM),
        database: databaseOf(settings, name),
      });
      const [database, broker] = await Promise.all([connectingDatabase, connecting]);
      const service = await options.start({ database, broker }, host);
      health.addCheck('database', () => database.ping());
      return {
        ...service,
        stop: () => service.stop(),
        outbox: () => metrics.backlogs(),
        database: { name: 'database', timeoutMs: databaseStopMs, stop: () => database.close() },
      };
    },
  });
}
