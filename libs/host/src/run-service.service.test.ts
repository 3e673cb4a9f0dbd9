import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sharedRabbit, type RabbitForTests } from '@receipts/testing';
import type { ReadyMessage } from './run-service';

/** A service whose behaviour the tests select by environment variables. */
const script = `
const { runService, readSettings, commonSettings, brokerSettings } = require(${JSON.stringify(path.resolve(__dirname, '../dist'))});
const mode = process.env.MODE;
runService({
  name: 'example', mainFolder: ${JSON.stringify(path.resolve(__dirname, '../dist'))},
  settings: readSettings({ ...commonSettings, ...brokerSettings }),
  async start(host) {
    if (mode === 'start-fails') throw new Error('no database');
    if (mode === 'start-hangs') await new Promise(() => setInterval(() => {}, 1000));
    let asked = 0;
    const work = setInterval(() => {}, 1000);
    if (mode === 'unexpected') setTimeout(() => Promise.reject(new Error('nobody caught this')), 50);
    return {
      announce: { port: 4711 },
      checks: { 'third time lucky': () => ++asked >= 3 },
      async stop() {
        host.log.info('work ends', { draining: host.draining });
        if (mode === 'stop-hangs') await new Promise(() => {});
        clearInterval(work);
      },
    };
  },
});`;

interface Outcome {
  readonly code: number | null;
  readonly lines: readonly Record<string, unknown>[];
}

describe('a service process', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'host-'));
  const file = path.join(dir, 'service.js');
  let rabbit: RabbitForTests;
  beforeAll(async () => {
    writeFileSync(file, script);
    rabbit = await sharedRabbit();
  });
  afterAll(async () => {
    await rabbit.dispose();
    rmSync(dir, { recursive: true, force: true });
  });

  function run(env: Record<string, string> = {}) {
    const child: ChildProcess = fork(file, {
      env: { PATH: process.env['PATH'], AMQP_URL: rabbit.url, DRAIN_DELAY_MS: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    let output = '';
    child.stdout?.on('data', (text: Buffer) => (output += text.toString()));
    child.stderr?.on('data', (text: Buffer) => (output += text.toString()));
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const silent = [child.stdout, child.stderr].map(
      (stream) => new Promise((resolve) => stream?.once('end', resolve)),
    );
    const ended = Promise.all([exited, ...silent]).then(([code]): Outcome => {
      const lines = output.split('\n').filter(Boolean);
      return { code, lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
    });
    const ready = new Promise<ReadyMessage>((resolve) => child.once('message', resolve));
    const said = async (msg: string) => {
      while (!output.includes(msg)) await new Promise((resolve) => setTimeout(resolve, 10));
    };
    return { child, ended, ready, said };
  }

  /** The messages of the process itself, without those of the connection to the broker. */
  const messages = ({ lines }: Outcome) =>
    lines.map(({ msg }) => msg as string).filter((msg) => !/broker|connect/.test(msg));

  test('reports that it is ready once all checks have passed, and exits with 0 on SIGTERM', async () => {
    const { child, ended, ready } = run();
    const message = await ready;
    expect(message).toMatchObject({ type: 'ready', service: 'example', port: 4711 });
    const response = await fetch(`http://127.0.0.1:${message.healthPort}/ready`);
    expect(response.status).toBe(200);
    child.kill('SIGTERM');
    const outcome = await ended;
    expect(outcome.code).toBe(0);
    expect(messages(outcome)).toEqual(['started', 'ready', 'stopping', 'work ends', 'stopped']);
    expect(outcome.lines.find(({ msg }) => msg === 'work ends')).toMatchObject({ draining: true });
  });

  test('reports that it is not ready during the delay before it stops its work', async () => {
    const { child, ended, ready, said } = run({ DRAIN_DELAY_MS: '700' });
    const { healthPort } = await ready;
    child.kill('SIGTERM');
    await said('stopping');
    const response = await fetch(`http://127.0.0.1:${healthPort}/ready`);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ phase: 'draining' });
    expect((await fetch(`http://127.0.0.1:${healthPort}/live`)).status).toBe(200);
    expect((await ended).code).toBe(0);
  });

  test('treats two simultaneous signals as one, because a terminal and a supervisor both send them', async () => {
    const { child, ended, ready } = run({ DRAIN_DELAY_MS: '100' });
    await ready;
    child.kill('SIGINT');
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });

  test('exits with 1 on a second signal while it is stopping', async () => {
    const { child, ended, ready } = run({ MODE: 'stop-hangs' });
    await ready;
    child.kill('SIGTERM');
    const again = setInterval(() => child.kill('SIGTERM'), 100);
    const outcome = await ended;
    clearInterval(again);
    expect(outcome.code).toBe(1);
    expect(messages(outcome)).toContain('received a second signal, abandoning work in progress');
  });

  test('exits with 1 if its work does not finish in time', async () => {
    const { child, ended, ready } = run({ MODE: 'stop-hangs', SHUTDOWN_GRACE_MS: '200' });
    await ready;
    child.kill('SIGTERM');
    const outcome = await ended;
    expect(outcome.code).toBe(1);
    expect(messages(outcome)).toContain('could not stop gracefully');
  });

  test('logs an unexpected error, finishes its work and exits with 1', async () => {
    const outcome = await run({ MODE: 'unexpected' }).ended;
    expect(outcome.code).toBe(1);
    expect(messages(outcome)).toEqual(
      expect.arrayContaining(['unexpected error: unhandledRejection', 'work ends', 'stopped']),
    );
  });

  test.each([
    ['start-fails', 'no database'],
    ['start-hangs', 'start took longer than 1 s'],
  ])('exits with 1 if it cannot start: %s', async (mode, reason) => {
    const outcome = await run({ MODE: mode, START_TIMEOUT_MS: '1000' }).ended;
    expect(outcome.code).toBe(1);
    expect(outcome.lines.at(-1)).toMatchObject({ msg: 'could not start', error: { message: reason } });
  });

  test('exits with 1 and lists the invalid settings', async () => {
    const outcome = await run({ LOG_LEVEL: 'loud' }).ended;
    expect(outcome.code).toBe(1);
    expect(outcome.lines).toMatchObject([
      { msg: 'invalid settings', faults: [expect.stringMatching(/^LOG_LEVEL /)] },
    ]);
  });

  test('stops when its supervisor is gone', async () => {
    const { child, ended, ready } = run();
    await ready;
    child.disconnect();
    const outcome = await ended;
    expect(outcome.code).toBe(0);
    expect(messages(outcome)).toContain('work ends');
  });
});
