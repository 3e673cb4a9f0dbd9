import {
  brokerAccess,
  databaseOf,
  messagingMetrics,
  packageVersion,
  reportInstance,
  runService,
  stopInOrder,
  WorkTally,
  type brokerSettings,
  type CommonSettings,
  type Host,
  type Running,
  type Settings,
} from '@receipts/host';
import { connectBroker, type Broker } from '@receipts/messaging';
import { connectDatabase, type Database } from '@receipts/storage';
import { storageMetrics } from './storage-metrics';

const serviceStopMs = 9_000;
const reportStopMs = 500;
const brokerStopMs = 2_000;
const brokerGraceMs = 1_000;
const databaseStopMs = 1_000;

interface DatabaseServiceOptions {
  readonly name: string;
  /** The folder of the service's `main.js`, directly below the package's folder. */
  readonly mainFolder: string;
  readonly settings: CommonSettings &
    Settings<typeof brokerSettings> & {
      readonly MONGODB_URI: string;
      readonly MONGODB_DATABASE?: string | undefined;
    };
  /** Starts the service itself. Broker and database stay connected until it has stopped. */
  start(connections: { readonly database: Database; readonly broker: Broker }, host: Host): Promise<Running>;
}

/** The same metrics, which also count handled items in `work`. */
function tallied(metrics: ReturnType<typeof messagingMetrics>, work: WorkTally): typeof metrics {
  return {
    ...metrics,
    handled(type, status, ms) {
      work.note(status);
      metrics.handled(type, status, ms);
    },
  };
}

/**
 * Runs a service with its own database as this process: connects database and broker, starts the service, and stops
 * in reverse order.
 */
export function runDatabaseService(options: DatabaseServiceOptions): void {
  const { name, settings } = options;
  const version = packageVersion(options.mainFolder);
  runService({
    name,
    version,
    settings,
    async start(host) {
      const { log, metrics, health, tracing } = host;
      const ofDatabase = storageMetrics(metrics);
      const work = new WorkTally();
      const connectingDatabase = connectDatabase({
        uri: settings.MONGODB_URI,
        database: databaseOf(settings, name),
        service: name,
        log,
        metrics: ofDatabase,
        tracing,
      });
      const connectingBroker = connectBroker({
        ...brokerAccess(settings),
        service: name,
        log,
        metrics: tallied(messagingMetrics(metrics), work),
        tracing,
      });
      const [database, broker] = await Promise.all([connectingDatabase, connectingBroker]);
      const service = await options.start({ database, broker }, host);
      const reporting = reportInstance({
        service: name,
        version,
        publish: (events) => broker.publish(events),
        loopLagMs: () => host.loopLagMs,
        work,
        outbox: () => ofDatabase.backlogs(),
        log,
      });
      health.addCheck('database', () => database.ping());
      health.addCheck('broker', () => broker.state === 'up');
      return {
        ...service,
        stop: () =>
          stopInOrder(log, [
            { name: 'report', timeoutMs: reportStopMs, stop: () => reporting.stop() },
            { name: 'service', timeoutMs: serviceStopMs, stop: () => service.stop() },
            { name: 'broker', timeoutMs: brokerStopMs, stop: () => broker.close({ graceMs: brokerGraceMs }) },
            { name: 'database', timeoutMs: databaseStopMs, stop: () => database.close() },
          ]),
      };
    },
  });
}
