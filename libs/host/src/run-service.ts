import { pause, within } from '@receipts/concurrency';
import type { Log, Tracing } from '@receipts/kernel';
import { connectBroker, type Broker } from '@receipts/messaging';
import type { Database } from '@receipts/storage';
import type { Store, StoreSettings } from './connect-store';
import type { ExportedTracing } from './exported-tracing';
import {
  EventLoopMonitor,
  ReadinessChecks,
  startHealthServer,
  type Check,
  type HealthServer,
} from './health';
import { reportInstance, WorkTally } from './instance-reports';
import { createLogger } from './logger';
import { messagingMetrics } from './messaging-metrics';
import { createMetrics, type Metrics } from './metrics';
import { packageVersion } from './package-version';
import type { Settings } from './settings';
import { brokerAccess, type brokerSettings, type CommonSettings } from './shared-settings';
import { stopInOrder, type StopStep } from './stop-in-order';
import { startTracing } from './tracing';

/** What a service gets when it starts. Broker and database stay connected until it has stopped. */
export interface Host {
  readonly broker: Broker;
  readonly version: string;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Undefined if spans are not exported. */
  readonly tracing: Tracing | undefined;
  /** True once the process has received a signal to stop; requests are then still handled, with `Connection: close`. */
  readonly draining: boolean;
  /** The delay of the event loop in milliseconds. */
  readonly loopLagMs: number;
  readonly work: WorkTally;
}

export interface DatabaseHost extends Host {
  readonly database: Database;
}

export interface Running {
  /** Finishes work in progress, and publishes its events, within `graceMs`. */
  stop(graceMs: number): Promise<void>;
  /** Further conditions of readiness. Each is checked at most once every 0.9 s and must finish within 0.8 s. */
  readonly checks?: Readonly<Record<string, Check>>;
  /** Data that the supervisor gets with the message "ready", such as the actual port. */
  readonly announce?: Readonly<Record<string, string | number>>;
}

interface ProcessOptions {
  readonly name: string;
  /** The folder of the service's `main.js`, directly below the package's folder. */
  readonly mainFolder: string;
}

type ProcessSettings = CommonSettings & Settings<typeof brokerSettings>;

interface WithoutDatabase extends ProcessOptions {
  readonly settings: ProcessSettings;
  readonly database?: undefined;
  start(host: Host): Promise<Running>;
}

interface WithDatabase extends ProcessOptions {
  readonly settings: ProcessSettings & StoreSettings;
  /** Connects a database of its own. MongoDB's driver is not loaded otherwise. */
  readonly database: true;
  start(host: DatabaseHost): Promise<Running>;
}

export type ServiceOptions = WithoutDatabase | WithDatabase;

/** The message to the supervisor, sent once, when all checks have passed for the first time. */
export interface ReadyMessage {
  readonly type: 'ready';
  readonly service: string;
  readonly healthPort: number;
  readonly [fact: string]: string | number;
}

const readyPollMs = 100;

/**
 * A terminal and a supervisor often both forward the same Ctrl-C, so signals within this time count as one. A later
 * signal means that the user does not want to wait.
 */
const repeatedSignalMs = 500;

/**
 * Runs a service as this process: health, traces, broker and database, then the service; on a signal, everything in
 * reverse order. The process exits at the end.
 */
export function runService(options: ServiceOptions): void {
  void new ServiceProcess(options).run();
}

interface Started {
  readonly announce: Running['announce'];
  readonly stopSteps: readonly StopStep[];
}

/** The methods are in the order in which they are called. */
class ServiceProcess {
  private readonly version: string;
  private readonly log: ReturnType<typeof createLogger>;
  private readonly metrics: Metrics;
  private readonly loop = new EventLoopMonitor();
  private readonly checks: ReadinessChecks;
  private readonly work = new WorkTally();
  private healthServer: HealthServer | undefined;
  private tracing: ExportedTracing | undefined;
  private starting: Promise<Started> | undefined;
  private stoppingSince: number | undefined;

  constructor(private readonly options: ServiceOptions) {
    this.version = packageVersion(options.mainFolder);
    this.log = createLogger({ service: options.name, level: options.settings.LOG_LEVEL });
    this.metrics = createMetrics(options.name);
    this.checks = new ReadinessChecks(this.log);
  }

  async run(): Promise<void> {
    this.listenToTheProcess();
    const { log, version } = this;
    try {
      const { START_TIMEOUT_MS: timeoutMs } = this.options.settings;
      const { healthPort, announce } = await within(timeoutMs, 'start', this.start());
      if (this.stoppingSince !== undefined) return;
      this.checks.phase = 'running';
      log.info('started', { version, pid: process.pid, health_port: healthPort, ...announce });
      await this.announceWhenReady(healthPort, announce);
    } catch (error) {
      log.error('could not start', { name: this.options.name, error });
      this.exit(1);
    }
  }

  private listenToTheProcess(): void {
    // The log reader may disappear, in which case the service continues without a log.
    process.stdout.on('error', () => undefined);
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => this.onSignal(signal));
    // Otherwise, a service without its supervisor would be orphaned and keep its ports and queues.
    process.once('disconnect', () => void this.stop('the supervisor is gone', 0));
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(event, (error: unknown) => {
        this.log.error(`unexpected error: ${event}`, { error });
        void this.stop(event, 1);
      });
    }
  }

  private async start(): Promise<{ readonly healthPort: number; readonly announce: Running['announce'] }> {
    const { checks, loop, metrics, log, version } = this;
    const { name: service, settings } = this.options;
    const { HEALTH_HOST: host, HEALTH_PORT: port } = settings;
    this.healthServer = await startHealthServer({ host, port, checks, loop, metrics, log });
    this.tracing = await startTracing({
      service,
      version,
      log,
      endpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
      sampledShare: Number(settings.OTEL_TRACES_SAMPLER_ARG),
    });
    this.starting = this.connectAndStart();
    const { announce } = await this.starting;
    return { healthPort: this.healthServer.port, announce };
  }

  /** Connects the broker and the database, and starts the service and the reports about this process. */
  private async connectAndStart(): Promise<Started> {
    const { options, version, log, tracing, work, loop, checks } = this;
    const { name: service, settings } = options;
    const metrics = messagingMetrics(this.metrics, work);
    const connecting = connectBroker({ ...brokerAccess(settings), service, log, tracing, metrics });
    const [store, broker] = await Promise.all([this.connectStore(), connecting]);
    const running = await this.startWith(broker, store);
    const reporting = reportInstance({
      service,
      version,
      work,
      log,
      outbox: store?.backlogs,
      publish: (events) => broker.publish(events),
      loopLagMs: () => loop.lagMs,
    });
    checks.addCheck('broker', () => broker.state === 'up');
    if (store) checks.addCheck('database', () => store.database.ping());
    for (const [name, check] of Object.entries(running.checks ?? {})) checks.addCheck(name, check);
    const stopSteps: StopStep[] = [
      { name: 'report', weight: 1, stop: () => reporting.stop() },
      { name: 'service', weight: 18, stop: (graceMs) => running.stop(graceMs) },
      { name: 'broker', weight: 3, stop: (graceMs) => broker.close({ graceMs }) },
    ];
    if (store) stopSteps.push({ name: 'database', weight: 2, stop: () => store.database.close() });
    return { announce: running.announce, stopSteps };
  }

  private async connectStore(): Promise<Store | undefined> {
    const { options, log, metrics, tracing } = this;
    if (!options.database) return undefined;
    const { connectStore } = await import('./connect-store.js');
    return connectStore(options.name, options.settings, { log, metrics, tracing });
  }

  private startWith(broker: Broker, store: Store | undefined): Promise<Running> {
    const { options, version, log, metrics, tracing, work, loop } = this;
    const isDraining = () => this.stoppingSince !== undefined;
    const host: Host = {
      broker,
      version,
      log,
      metrics,
      tracing,
      work,
      get draining() {
        return isDraining();
      },
      get loopLagMs() {
        return loop.lagMs;
      },
    };
    if (!options.database) return options.start(host);
    return options.start(Object.assign(host, { database: (store as Store).database }));
  }

  private async announceWhenReady(healthPort: number, facts: Running['announce']): Promise<void> {
    while (this.stoppingSince === undefined) {
      if ((await this.checks.read()).ready) {
        this.log.info('ready', { health_port: healthPort });
        const message: ReadyMessage = { ...facts, type: 'ready', service: this.options.name, healthPort };
        if (process.connected) process.send?.(message);
        return;
      }
      await pause(readyPollMs);
    }
  }

  private onSignal(signal: string): void {
    const since = this.stoppingSince;
    if (since === undefined) void this.stop(signal, 0);
    else if (performance.now() - since > repeatedSignalMs) {
      this.log.warn('received a second signal, abandoning work in progress', { signal });
      this.exit(1);
    }
  }

  private async stop(reason: string, exitCode: number): Promise<void> {
    if (this.stoppingSince !== undefined) return;
    this.stoppingSince = performance.now();
    this.checks.phase = 'draining';
    const { settings } = this.options;
    this.log.info('stopping', { reason });
    let code = exitCode;
    try {
      if (this.starting) {
        await pause(exitCode === 0 ? settings.DRAIN_DELAY_MS : 0);
        await this.stopService(this.starting, settings.SHUTDOWN_GRACE_MS);
      }
    } catch (error) {
      this.log.error('could not stop gracefully', { error });
      code = 1;
    }
    await this.tracing?.stop();
    await this.healthServer?.stop();
    this.log.info('stopped', {
      exit_code: code,
      duration_ms: Math.round(performance.now() - this.stoppingSince),
    });
    this.exit(code);
  }

  /** A service that is still starting is stopped once it has started. */
  private async stopService(starting: Promise<Started>, graceMs: number): Promise<void> {
    const begunAt = performance.now();
    const { stopSteps } = await within(graceMs, 'the start', starting);
    await stopInOrder(graceMs - (performance.now() - begunAt), stopSteps);
  }

  private exit(code: number): void {
    this.log.flush();
    process.exit(code);
  }
}
