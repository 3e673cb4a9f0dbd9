import { randomBytes } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Platform } from '@receipts/local';
import { until } from '@receipts/testing';
import { newRetailer, type TestRetailer } from './harness/client';
import { discard, ownPlatform, sharedInfrastructure } from './harness/own-platform';
import { aReceipt, uniqueId } from './harness/receipts';
import { SpanReceiver, spanKinds, type ReceivedSpan } from './harness/span-receiver';

const receiptsAtOnce = 20;

/** The trace context of a caller that records spans. */
const aTrace = (flags = '01') => {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${flags}` };
};

describe('spans when a collector is configured', () => {
  const receiver = new SpanReceiver();
  const hooks: http.IncomingHttpHeaders[] = [];
  const hook = http.createServer((request, response) => {
    hooks.push(request.headers);
    request.resume().once('end', () => response.writeHead(204).end());
  });
  let platform: Platform;
  let retailer: TestRetailer;

  beforeAll(async () => {
    await new Promise<void>((ready) => hook.listen(0, '127.0.0.1', ready));
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: await receiver.listen() };
    platform = await ownPlatform({ env }, sharedInfrastructure());
    retailer = await newRetailer(platform.baseUrl, platform.secrets.operatorToken);
    const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/hook?key=a-secret`;
    const endpoint = { url, event_types: ['receipt.created'] };
    expect((await retailer.api.post('/webhooks/endpoints', endpoint)).status).toBe(201);
  });
  afterAll(async () => {
    await discard(platform);
    await Promise.all([receiver.close(), new Promise((closed) => hook.close(closed))]);
  });

  const spansOf = (traceId: string) => receiver.spans.filter((span) => span.traceId === traceId);
  const spanOf = async (traceId: string, what: string, is: (span: ReceivedSpan) => boolean) => {
    await until(`the span of ${what}`, () => Promise.resolve(spansOf(traceId).some(is)));
    return spansOf(traceId).find(is) as ReceivedSpan;
  };

  it('are one trace from the request through messages and database to the webhook', async () => {
    const { traceId, spanId, traceparent } = aTrace();
    const answer = await retailer.api.post('/receipts', aReceipt(), { traceparent });
    expect(answer.status).toBe(201);
    const find = (what: string, is: (span: ReceivedSpan) => boolean) => spanOf(traceId, what, is);
    const { name } = platform;

    const request = await find('the request', ({ kind }) => kind === spanKinds.server);
    expect(request).toMatchObject({ service: 'gateway', name: 'POST /receipts', parentSpanId: spanId });
    expect(request.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/receipts',
      'http.response.status_code': 201,
    });
    expect(answer.headers['traceparent']).toBe(`00-${traceId}-${request.spanId}-01`);

    const sent = await find(
      'the command',
      (span) => span.service === 'gateway' && span.kind === spanKinds.producer,
    );
    expect(sent).toMatchObject({
      name: `send ${name}.receipt-store.requests`,
      parentSpanId: request.spanId,
      attributes: {
        'messaging.system': 'rabbitmq',
        'messaging.operation.type': 'send',
        'receipts.message.type': 'receipt-store.create-receipt',
        'receipts.retailer': retailer.id,
      },
    });

    const handled = await find('its handling', ({ parentSpanId }) => parentSpanId === sent.spanId);
    expect(handled).toMatchObject({
      service: 'receipt-store',
      kind: spanKinds.consumer,
      name: `process ${name}.receipt-store.requests`,
      attributes: {
        'messaging.operation.type': 'process',
        'messaging.message.id': sent.attributes['messaging.message.id'],
      },
    });

    const stored = await find('the insert', (span) => span.name === 'insert receipts');
    expect(stored).toMatchObject({
      service: 'receipt-store',
      kind: spanKinds.client,
      parentSpanId: handled.spanId,
      attributes: {
        'db.system.name': 'mongodb',
        'db.collection.name': 'receipts',
        'db.operation.name': 'insert',
      },
    });

    const publishing = await find(
      'the event',
      ({ name: span }) => span === `send ${name}.internal-events:receipt.created`,
    );
    expect(publishing).toMatchObject({
      service: 'receipt-store',
      kind: spanKinds.producer,
      parentSpanId: handled.spanId,
    });

    const processing = await find(
      'its subscriber',
      ({ name: span, attributes }) =>
        span.endsWith(`receipt.created:${name}.delivery.on-event`) &&
        attributes['messaging.batch.message_count'] === undefined,
    );
    expect(processing).toMatchObject({
      service: 'delivery',
      kind: spanKinds.consumer,
      parentSpanId: handled.spanId,
    });
    const logged = await find('the log of events', (span) => span.name === 'insert event_log');
    // If several events were consumed together, the span belongs to their batch.
    const processedIn = [processing.spanId, ...processing.links.map(({ spanId: batch }) => batch)];
    expect(logged.service).toBe('delivery');
    expect(processedIn).toContain(logged.parentSpanId);

    const posted = await find('the webhook', (span) => span.service === 'delivery' && span.name === 'POST');
    expect(posted).toMatchObject({ kind: spanKinds.client, parentSpanId: handled.spanId, isError: false });
    expect(posted.attributes).toMatchObject({
      'http.response.status_code': 204,
      'server.port': (hook.address() as AddressInfo).port,
    });
    expect(hooks.map((headers) => headers['webhook-id'])).toContain(posted.attributes['receipts.webhook.id']);
  });

  it('contain neither items, personal data nor secrets', async () => {
    const { traceId, traceparent } = aTrace();
    const identifier = uniqueId('consumer');
    const { body } = await retailer.api.post('/receipts', aReceipt({ identifier }), { traceparent });
    expect((await retailer.api.get(`/receipts/${body.id}`, {}, { traceparent })).status).toBe(200);
    expect((await retailer.api.get(`/identifiers/${identifier}`, {}, { traceparent })).status).toBeLessThan(
      500,
    );
    await spanOf(traceId, 'the webhook', (span) => span.service === 'delivery' && span.name === 'POST');
    await spanOf(
      traceId,
      'the identifier',
      (span) => span.attributes['http.route'] === '/identifiers/{identifier}',
    );
    const text = JSON.stringify(spansOf(traceId));
    for (const secret of [identifier, 'a-secret', retailer.bearer.secret]) expect(text).not.toContain(secret);
  });

  it('keep the traces of many concurrent receipts apart, however they are batched', async () => {
    const traces = Array.from({ length: receiptsAtOnce }, () => aTrace());
    const answers = await Promise.all(
      traces.map(({ traceparent }) => retailer.api.post('/receipts', aReceipt(), { traceparent })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    for (const { traceId } of traces) {
      const handled = await spanOf(
        traceId,
        'a receipt',
        ({ service, attributes }) =>
          service === 'receipt-store' &&
          attributes['receipts.message.type'] === 'receipt-store.create-receipt' &&
          attributes['messaging.batch.message_count'] === undefined,
      );
      const sent = await spanOf(traceId, 'its command', ({ spanId }) => spanId === handled.parentSpanId);
      expect(sent).toMatchObject({ service: 'gateway', kind: spanKinds.producer });
      for (const { traceId: linked, spanId } of handled.links) {
        const batch = await spanOf(linked, 'the batch', (span) => span.spanId === spanId);
        expect(batch.links).toContainEqual(expect.objectContaining({ traceId, spanId: handled.spanId }));
        expect(batch.attributes['messaging.batch.message_count']).toBeGreaterThan(1);
      }
    }
  });

  it('are not recorded if the caller does not record its trace', async () => {
    const { traceId, traceparent } = aTrace('00');
    const answer = await retailer.api.post('/receipts', aReceipt(), { traceparent });
    expect(answer.status).toBe(201);
    expect(answer.headers['traceparent']).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
    const marker = aTrace();
    await retailer.api.post('/receipts', aReceipt(), { traceparent: marker.traceparent });
    await spanOf(
      marker.traceId,
      'the webhook',
      (span) => span.service === 'delivery' && span.name === 'POST',
    );
    expect(spansOf(traceId)).toEqual([]);
  });
});
