import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { parseTraceParent } from '@opentelemetry/core';
import { createLogger } from './logger';
import { createTracing, idsOnly, traceOf } from './tracing';

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const log = createLogger({ service: 'test', level: 'error' });

describe('trace ids', () => {
  test('continue the trace of the caller with a span of their own', () => {
    const { traceId, traceparent } = traceOf(parent);
    expect(traceId).toBe('0af7651916cd43dd8448eb211c80319c');
    expect(traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/);
    expect(traceparent).not.toBe(parent);
    expect(traceOf(parent.replace(/01$/, '00')).traceparent).toMatch(/-00$/);
  });

  test.each([
    undefined,
    '',
    'nonsense',
    `ff${parent.slice(2)}`,
    '00-00000000000000000000000000000000-b7ad6b7169203331-01',
    '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
    parent.toUpperCase(),
  ])('begin anew where the header is %p', (header) => {
    const { traceId, traceparent } = traceOf(header);
    expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(traceparent).toContain(traceId);
    expect(traceId).not.toBe('0af7651916cd43dd8448eb211c80319c');
  });

  test.each([
    parent,
    ` ${parent} `,
    `${parent}-further`,
    `cc${parent.slice(2)}`,
    `cc${parent.slice(2)}-further`,
    `cc${parent.slice(2)}further`,
    parent.replace(/01$/, '03'),
    parent.slice(0, -1),
    parent.replace('b7', 'xy'),
  ])('come from %p as the SDK would read it', (header) => {
    const read = parseTraceParent(header);
    const { traceId, traceparent } = traceOf(header);
    expect(traceId === '0af7651916cd43dd8448eb211c80319c').toBe(read !== null);
    expect(traceparent.endsWith('-01')).toBe(read?.traceFlags === 1 || read?.traceFlags === 3);
  });

  test('are never the same twice', () => {
    const ids = Array.from({ length: 5_000 }, () => traceOf(undefined).traceparent);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('flow without a receiver', async () => {
    const tracing = await createTracing({
      service: 'test',
      version: '1',
      endpoint: undefined,
      sampledShare: 1,
      log,
    });
    expect(tracing).toBe(idsOnly);
    const span = tracing.spanFor(
      { traceparent: parent, requestId: 'r', retailer: 'x' },
      'receipt-store.get-receipt',
    );
    span.set({ status: 200 });
    span.end();
    expect(span.traceId).toBe('0af7651916cd43dd8448eb211c80319c');
  });
});

/** Jest's sandbox has no dynamic imports, which the exporter uses, so the spans are made by a process of their own. */
const script = `
const { createTracing } = require(${JSON.stringify(path.resolve(__dirname, '../dist/tracing'))});
const [endpoint, parent] = process.argv.slice(1);
(async () => {
const tracing = await createTracing({ service: 'ingest', version: '1', endpoint, sampledShare: 1, log: console });
const outer = tracing.start('POST /pos/receipts', { parent, kind: 'server' });
const call = { traceparent: outer.traceparent, requestId: 'r1', retailer: 'demo' };
tracing.spanFor(call, 'ingest.accept-packet').end(new TypeError('with a@b.c inside'));
outer.end();
const unsampled = tracing.start('quiet', { parent: parent.replace(/01$/, '00') });
unsampled.end();
console.log(JSON.stringify([outer.traceparent, unsampled.traceparent]));
await tracing.stop();
})();
`;

describe('with a receiver', () => {
  test('spans arrive there with their parents', async () => {
    const bodies: string[] = [];
    const receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        bodies.push(`${request.url} ${Buffer.concat(chunks).toString()}`);
        response.writeHead(200, { 'content-type': 'application/json', connection: 'close' }).end('{}');
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script, endpoint, parent]);
    await new Promise((resolve) => receiver.close(resolve));

    const [outer = '', unsampled] = JSON.parse(stdout) as string[];
    const text = bodies.join();
    expect(text).toMatch(/^\/v1\/traces /);
    expect(text).toContain('ingest.accept-packet');
    expect(text).toContain('0af7651916cd43dd8448eb211c80319c');
    expect(text).toContain(outer.slice(36, 52));
    expect(text).toContain('TypeError');
    expect(text).not.toContain('a@b.c');
    expect(text).not.toContain('quiet');
    expect(unsampled).toMatch(/-00$/);
  });
});
