import { pause, within } from '@receipts/concurrency';
import { type Log, type LogFields, type Tracing } from '@receipts/kernel';
import { createLogger } from './logger';
import { createMetrics, type Metrics } from './metrics';
import {
  EventLoopMonitor,
  ReadinessChecks,
  startHealthServer,
  type Health,
  type HealthServer,
} from './health';
import { WorkTally } from './instance-reports';
import type { CommonSettings } from './shared-settings';
import type { ExportedTracing } from './exported-tracing';
import { startTracing } from './tracing';

/** The functions and data that the host provides to a service. */
export interface Host {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly health: Health;
  /** Undefined if spans are not exported. */
  readonly tracing: Tracing | undefined;
  /** True once the process has received a signal to stop; requests are then still handled, with `Connection: close`. */
  readonly draining: boolean;
  /** The delay of the event loop in milliseconds. */
  readonly loopLagMs: number;
  readonly work: WorkTally;
}

export interface Running {
  /** Stops accepting work, finishes work in progress, and closes connections; see `stopInOrder`. */
  stop(): Promise<void>;
  /** Data that the supervisor gets with the message "ready", such as the actual port. */
  readonly announce?: Readonly<Record<string, string | number>>;
}

export interface ServiceOptions {
  readonly name: string;
  readonly version: string;
  readonly settings: CommonSettings;
  start(host: Host): Promise<Running>;
}

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

class Supervised {
  private readonly logger: ReturnType<typeof createLogger>;
  private readonly metrics: Metrics;
  private readonly loop = new EventLoopMonitor();
  private readonly checks: ReadinessChecks;
  private healthServer: HealthServer | undefined;
  private tracing: ExportedTracing | undefined;
  private started: Promise<Running> | undefined;
  private stoppingSince: number | undefined;

  constructor(private readonly options: ServiceOptions) {
    this.logger = createLogger({ service: options.name, level: options.settings.LOG_LEVEL });
    this.metrics = createMetrics(options.name);
    this.checks = new ReadinessChecks(this.logger);
  }

  async run(): Promise<void> {
    this.listenToTheProcess();
    const { name, version, settings } = this.options;
    try {
      const { healthServer, running } = await within(settings.START_TIMEOUT_MS, 'start', this.startAll());
      if (this.stoppingSince !== undefined) return;
      this.checks.phase = 'running';
      this.logger.info('started', {
        version,
        pid: process.pid,
        health_port: healthServer.port,
        ...running.announce,
      });
      await this.announceWhenReady(healthServer.port, running.announce);
    } catch (error) {
      this.logger.error('could not start', { name, error });
      this.exit(1);
    }
  }

  private async startAll(): Promise<{ healthServer: HealthServer; running: Running }> {
    const { name: service, version, settings } = this.options;
    const { logger: log, metrics, checks, loop } = this;
    const { HEALTH_HOST: host, HEALTH_PORT: port } = settings;
    this.healthServer = await startHealthServer({ host, port, checks, loop, metrics, log });
    this.tracing = await startTracing({
      ...{ service, version, log },
      endpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
      sampledShare: Number(settings.OTEL_TRACES_SAMPLER_ARG),
    });
    const isDraining = () => this.stoppingSince !== undefined;
    this.started = this.options.start({
      log,
      metrics,
      health: checks,
      tracing: this.tracing,
      work: new WorkTally(),
      get draining() {
        return isDraining();
      },
      get loopLagMs() {
        return loop.lagMs;
      },
    });
    return { healthServer: this.healthServer, running: await this.started };
  }

  private async announceWhenReady(healthPort: number, facts: Running['announce']): Promise<void> {
    while (this.stoppingSince === undefined) {
      if ((await this.checks.read()).ready) {
        this.logger.info('ready', { health_port: healthPort });
        const message: ReadyMessage = { ...facts, type: 'ready', service: this.options.name, healthPort };
        if (process.connected) process.send?.(message);
        return;
      }
      await pause(readyPollMs);
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
        this.logger.error(`unexpected error: ${event}`, { error });
        void this.stop(event, 1);
      });
    }
  }

  private onSignal(signal: string): void {
    const since = this.stoppingSince;
    if (since === undefined) void this.stop(signal, 0);
    else if (performance.now() - since > repeatedSignalMs) {
      this.logger.warn('received a second signal, abandoning work in progress', { signal });
      this.exit(1);
    }
  }

  private async stop(reason: string, exitCode: number): Promise<void> {
    if (this.stoppingSince !== undefined) return;
    this.stoppingSince = performance.now();
    this.checks.phase = 'draining';
    const { settings } = this.options;
    this.logger.info('stopping', { reason });
    let code = exitCode;
    try {
      if (this.started) {
        await pause(exitCode === 0 ? settings.DRAIN_DELAY_MS : 0);
        await within(settings.SHUTDOWN_GRACE_MS, 'stop', this.stopService(this.started));
      }
    } catch (error) {
      this.logger.error('could not stop gracefully', { error });
      code = 1;
    }
    await this.tracing?.stop();
    await this.healthServer?.stop();
    this.logger.info('stopped', {
      exit_code: code,
      duration_ms: Math.round(performance.now() - this.stoppingSince),
    });
    this.exit(code);
  }

  private async stopService(started: Promise<Running>): Promise<void> {
    const running = await started;
    await running.stop();
  }

  private exit(code: number): void {
    this.logger.flush();
    process.exit(code);
  }
}

/** Runs a service as this process: start, readiness, signals, graceful stop. The process exits at the end. */
export function runService(options: ServiceOptions): void {
  void new Supervised(options).run();
}

export interface StopStep {
  readonly name: string;
  /** The next step starts after this time at the latest. */
  readonly timeoutMs: number;
  readonly stop: () => unknown;
}

/**
 * Stops the parts of a service in order, each with a timeout. A part that fails or times out is logged and does not
 * prevent the later parts from stopping.
 */
export async function stopInOrder(log: Log, steps: readonly StopStep[]): Promise<void> {
  for (const { name, timeoutMs, stop } of steps) {
    const fields: LogFields = { step: name };
    try {
      await within(timeoutMs, name, Promise.resolve(stop()));
    } catch (error) {
      log.error('a part did not stop cleanly', { ...fields, error });
    }
  }
}
