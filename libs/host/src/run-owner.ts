import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { PrintedEvent, Tracing } from '@receipts/kernel';
import type { Logger } from './logger';
import { reportInstance, WorkTally } from './instance-reports';
import { messagingMetrics } from './messaging-metrics';
import { runService, stopInOrder, type Host, type Running } from './run-service';
import {
  brokerAccess,
  databaseOf,
  type brokerSettings,
  type CommonSettings,
  type Settings,
} from './settings';
import { storageMetrics } from './storage-metrics';

const serviceStopMs = 9_000;
const reportStopMs = 500;
const brokerStopMs = 2_000;
const brokerGraceMs = 1_000;
const databaseStopMs = 1_000;

type OwnerSettings = CommonSettings &
  Settings<typeof brokerSettings> & {
    readonly MONGODB_URI: string;
    readonly MONGODB_DATABASE?: string | undefined;
  };

interface DatabaseAccess {
  readonly uri: string;
  readonly database: string;
  readonly service: string;
  readonly log: Logger;
  readonly metrics: ReturnType<typeof storageMetrics>;
  readonly tracing: Tracing | undefined;
}

interface BrokerAccess extends ReturnType<typeof brokerAccess> {
  readonly service: string;
  readonly log: Logger;
  readonly metrics: ReturnType<typeof messagingMetrics>;
  readonly tracing: Tracing | undefined;
}

interface ConnectedDatabase {
  ping(): Promise<void>;
  close(): Promise<void>;
}

interface ConnectedBroker {
  readonly state: string;
  publish(events: readonly PrintedEvent[]): Promise<unknown>;
  close(options: { readonly graceMs: number }): Promise<void>;
}

export interface OwnerOptions<S extends ConnectedDatabase, B extends ConnectedBroker> {
  readonly name: string;
  /** The folder of the service's `main.js`, directly below the package's folder. */
  readonly mainFolder: string;
  readonly settings: OwnerSettings;
  readonly connectDatabase: (access: DatabaseAccess) => Promise<S>;
  readonly connectBroker: (access: BrokerAccess) => Promise<B>;
  /** Starts the service itself. Broker and database stay connected until it has stopped. */
  start(connections: { readonly database: S; readonly broker: B }, host: Host): Promise<Running>;
}

/** @param mainFolder the folder of a package's `main.js` */
export function packageVersion(mainFolder: string): string {
  const text = readFileSync(path.join(mainFolder, '../package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
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
 * in reverse order. The caller supplies the connect functions, so that this library does not depend on MongoDB or
 * RabbitMQ.
 */
export function runOwner<S extends ConnectedDatabase, B extends ConnectedBroker>(
  options: OwnerOptions<S, B>,
): void {
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
      const database = await options.connectDatabase({
        uri: settings.MONGODB_URI,
        database: databaseOf(settings, name),
        service: name,
        log,
        metrics: ofDatabase,
        tracing,
      });
      const broker = await options.connectBroker({
        ...brokerAccess(settings),
        service: name,
        log,
        metrics: tallied(messagingMetrics(metrics), work),
        tracing,
      });
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
