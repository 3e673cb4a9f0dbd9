import { createLogger } from './logger';
import { createMetrics } from './metrics';
import { EventLoopMonitor, ReadinessChecks, startHealthServer, type Readiness } from './health';

const log = createLogger({ service: 'test', level: 'error' });

async function started() {
  const checks = new ReadinessChecks(log);
  checks.phase = 'running';
  const loop = new EventLoopMonitor();
  const metrics = createMetrics('test');
  const server = await startHealthServer({ host: '127.0.0.1', port: 0, checks, loop, metrics, log });
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      text: await response.text(),
    };
  };
  const stop = async () => {
    loop.stop();
    await server.stop();
  };
  return { checks, loop, metrics, get, stop };
}

type Started = Awaited<ReturnType<typeof started>>;

describe('the health server', () => {
  let health: Started;
  beforeEach(async () => {
    health = await started();
  });
  afterEach(() => health.stop());

  test('is live regardless of the checks', async () => {
    health.checks.addCheck('database', () => false);
    expect(await health.get('/live')).toMatchObject({ status: 200, text: '{"live":true}' });
  });

  test('is not live while the event loop is blocked', async () => {
    health.loop.stop();
    const now = performance.now.bind(performance);
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + 6_000);
    try {
      expect(await health.get('/live')).toMatchObject({ status: 503, text: '{"live":false}' });
    } finally {
      clock.mockRestore();
    }
  });

  test('is ready when every check passes, and reports each', async () => {
    health.checks.addCheck('database', () => Promise.resolve());
    expect((await health.get('/ready')).status).toBe(200);
    health.checks.addCheck('broker', () => false);
    health.checks.addCheck('cache', () => Promise.reject(new Error('mongodb://user:password@host')));
    const { status, text } = await health.get('/ready');
    expect(status).toBe(503);
    expect(text).not.toContain('password');
    expect((JSON.parse(text) as Readiness).checks).toMatchObject({
      database: { ok: true },
      broker: { ok: false, reason: 'refused' },
      cache: { ok: false, reason: 'failed' },
    });
  });

  test('responds within a second when a check hangs', async () => {
    health.checks.addCheck('database', () => new Promise(() => undefined));
    const begun = performance.now();
    const { status, text } = await health.get('/ready');
    expect(performance.now() - begun).toBeLessThan(20_000);
    expect(status).toBe(503);
    expect(text).toContain('timed out');
  });

  test('runs a check once for concurrent requests', async () => {
    let asked = 0;
    health.checks.addCheck('database', async () => void asked++);
    await Promise.all(Array.from({ length: 20 }, () => health.get('/ready')));
    expect(asked).toBe(1);
  });

  test.each(['starting', 'draining'] as const)('is not ready while %s', async (phase) => {
    health.checks.phase = phase;
    expect(await health.get('/ready')).toMatchObject({ status: 503 });
  });

  test('shows metrics', async () => {
    health.metrics.counter({ name: 'things_total', help: 'Things.', labels: ['kind'] }).inc({ kind: 'a' }, 2);
    expect(health.metrics.counter({ name: 'things_total', help: 'Things.', labels: ['kind'] })).toBeDefined();
    const { type, text } = await health.get('/metrics');
    expect(type).toContain('text/plain');
    expect(text).toContain('things_total{kind="a",service="test"} 2');
    expect(text).toContain('nodejs_eventloop_lag_p99_seconds');
  });

  test('returns 404 for other paths', async () => {
    expect((await health.get('/other')).status).toBe(404);
    expect((await health.get('/constructor')).status).toBe(404);
  });
});

describe('the event loop monitor', () => {
  test('measures the lag, even after the loop was blocked', async () => {
    const loop = new EventLoopMonitor();
    try {
      const until = performance.now() + 500;
      while (performance.now() < until);
      expect(loop.lagMs).toBeGreaterThan(150);
      expect(loop.isAlive).toBe(true);
    } finally {
      loop.stop();
    }
  });
});
