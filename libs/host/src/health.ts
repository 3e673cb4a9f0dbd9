import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from '@receipts/kernel';
import type { Metrics } from './metrics';

/** Returns or resolves to false, or throws, if the checked resource is not usable. */
export type Check = () => boolean | void | Promise<boolean | void>;

export interface CheckResult {
  readonly ok: boolean;
  readonly ms: number;
  readonly reason?: 'failed' | 'timed out' | 'refused';
}

export interface Readiness {
  readonly ready: boolean;
  readonly phase: 'starting' | 'running' | 'draining';
  readonly checks: Readonly<Record<string, CheckResult>>;
}

const loopStalledMs = 5_000;
const loopSampleMs = 250;
const checkTimeoutMs = 800;
const checkCachedMs = 900;
const requestTimeoutMs = 5_000;

/** Measures how late the event loop is, with a timer that fires at a fixed interval. */
export class EventLoopMonitor {
  private last = performance.now();
  private lag = 0;
  private readonly timer = setInterval(() => {
    const now = performance.now();
    this.lag = Math.max(0, now - this.last - loopSampleMs);
    this.last = now;
  }, loopSampleMs).unref();

  /** The delay of the last sample in milliseconds; includes a stall that is still in progress. */
  get lagMs(): number {
    return Math.max(this.lag, performance.now() - this.last - loopSampleMs);
  }

  get isAlive(): boolean {
    return performance.now() - this.last < loopStalledMs;
  }

  stop(): void {
    clearInterval(this.timer);
  }
}

/** Runs the readiness checks, each with a timeout, and caches the results briefly. */
export class ReadinessChecks {
  phase: Readiness['phase'] = 'starting';
  private readonly checks = new Map<string, Check>();
  private lastRead:
    | { readonly at: number; readonly results: Promise<Record<string, CheckResult>> }
    | undefined;

  constructor(private readonly log: Log) {}

  /** Adds a condition of readiness. It is checked at most once every 0.9 s and must finish within 0.8 s. */
  addCheck(name: string, check: Check): void {
    this.checks.set(name, check);
    this.lastRead = undefined;
  }

  async read(): Promise<Readiness> {
    const now = performance.now();
    if (!this.lastRead || now - this.lastRead.at >= checkCachedMs)
      this.lastRead = { at: now, results: this.runAll() };
    const checks = await this.lastRead.results;
    const { phase } = this;
    const ready = phase === 'running' && Object.values(checks).every(({ ok }) => ok);
    return { ready, phase, checks };
  }

  private async runAll(): Promise<Record<string, CheckResult>> {
    const names = [...this.checks.keys()];
    const results = await Promise.all(
      [...this.checks.values()].map((check, i) => this.run(names[i] ?? '', check)),
    );
    return Object.fromEntries(names.map((name, i) => [name, results[i] as CheckResult]));
  }

  private async run(name: string, check: Check): Promise<CheckResult> {
    const begun = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const bound = new Promise<'timed out'>((resolve) => {
      timer = setTimeout(() => resolve('timed out'), checkTimeoutMs).unref();
    });
    const result = (reason?: CheckResult['reason']): CheckResult => ({
      ok: reason === undefined,
      ms: Math.round(performance.now() - begun),
      ...(reason && { reason }),
    });
    try {
      const outcome = await Promise.race([Promise.resolve(check()), bound]);
      if (outcome === 'timed out') return result('timed out');
      return outcome === false ? result('refused') : result();
    } catch (error) {
      this.log.warn('a readiness check failed', { check: name, error });
      return result('failed');
    } finally {
      clearTimeout(timer);
    }
  }
}

function answer(response: ServerResponse, status: number, contentType: string, text: string): void {
  response.writeHead(status, {
    'content-type': contentType,
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(text);
}

const json = (response: ServerResponse, status: number, value: unknown) =>
  answer(response, status, 'application/json', JSON.stringify(value));

export interface HealthServer {
  readonly port: number;
  stop(): Promise<void>;
}

export interface HealthServerOptions {
  readonly host: string;
  readonly port: number;
  readonly checks: ReadinessChecks;
  readonly loop: EventLoopMonitor;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** Serves /live, /ready and /metrics on a separate port, so that load on the main port does not delay them. */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const { checks, loop, metrics, log } = options;
  const routes: Readonly<Record<string, (response: ServerResponse) => void | Promise<void>>> = {
    '/live': (response) => json(response, loop.isAlive ? 200 : 503, { live: loop.isAlive }),
    '/ready': async (response) => {
      const readiness = await checks.read();
      json(response, readiness.ready ? 200 : 503, readiness);
    },
    '/metrics': async (response) => answer(response, 200, metrics.contentType, await metrics.text()),
  };
  const server = createServer({ requestTimeout: requestTimeoutMs }, (request, response) => {
    const path = request.url?.split('?', 1)[0] ?? '';
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
    if (!route) return json(response, 404, { status: 404, description: 'not found' });
    Promise.resolve(route(response)).catch((error: unknown) => {
      log.error('the health server failed to respond', { path, error });
      json(response, 500, { status: 500, description: 'internal error' });
    });
  });
  await once(server.listen(options.port, options.host), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
