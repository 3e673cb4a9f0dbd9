import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { traceOf } from './tracing';

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('trace ids', () => {
  test('continue the caller’s trace with their own span', () => {
    const { traceId, traceparent } = traceOf(parent);
    expect(traceId).toBe('0af7651916cd43dd8448eb211c80319c');
    expect(traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/);
    expect(traceparent).not.toBe(parent);
    expect(traceOf(parent.replace(/01$/, '00')).traceparent).toMatch(/-00$/);
    expect(traceOf(`01${parent.slice(2)}-more`).traceId).toBe(traceId);
  });

  test.each([
    undefined,
    '',
    'nonsense',
    `ff${parent.slice(2)}`,
    '00-00000000000000000000000000000000-b7ad6b7169203331-01',
    '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
    parent.toUpperCase(),
    `${parent}-more`,
    `cc${parent.slice(2)}further`,
    parent.slice(0, -1),
    parent.replace('b7', 'xy'),
  ])('start a new trace if the header is %p', (header) => {
    const { traceId, traceparent } = traceOf(header);
    expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(traceparent).toContain(traceId);
    expect(traceId).not.toBe('0af7651916cd43dd8448eb211c80319c');
  });

  test('are never repeated', () => {
    const ids = Array.from({ length: 5_000 }, () => traceOf(undefined).traceparent);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('without a receiver', () => {
  test('does not load OpenTelemetry', async () => {
    const script = `
      const { startTracing } = require(${JSON.stringify(path.resolve(__dirname, '../dist/tracing'))});
      startTracing({ service: 'test', version: '1', endpoint: process.argv[1], sampledShare: 1, log: console }).then((tracing) => {
        const loaded = Object.keys(require.cache).filter((file) => file.includes('opentelemetry'));
        console.log(JSON.stringify([tracing === undefined, loaded.length > 0]));
        process.exit();
      });`;
    const run = async (...args: string[]) => {
      const { stdout } = await promisify(execFile)(process.execPath, ['-e', script, ...args]);
      return JSON.parse(stdout) as unknown;
    };
    expect(await run()).toEqual([true, false]);
    expect(await run('http://127.0.0.1:1')).toEqual([false, true]);
  });
});
