import { FakeBroker } from '@receipts/messaging/testing';
import { refusalOf, silentLog } from '@receipts/testing';
import { acceptedEventOf, newDocument, type PacketDocument } from '../storage/packet-document';
import { newPacketOf } from '../testing/samples';
import { requestConversion, tryToRequestConversion } from './request-conversion';

const now = () => new Date();

/** A broker on which the conversion service accepts requests. */
function world() {
  const broker = new FakeBroker();
  broker.answers.set('transform.convert-packet', () => undefined);
  const order = (document: PacketDocument, isPublished?: Promise<boolean>) =>
    requestConversion({ broker, now }, document, isPublished);
  return { broker, order };
}

const documentOf = (...[call, changes]: Parameters<typeof newPacketOf>) =>
  newDocument(newPacketOf(call, changes), now(), 1_000);

test('sends the bytes with all metadata, and the number of the attempt', async () => {
  const { broker, order } = world();
  const facts = {
    metadata: { till_id: '7' },
    properties: { 'a.b': '$x' },
    attachments: [{ id: 'a', label: 'slip' }],
  };
  const document = documentOf({}, { ...facts, bytes: Buffer.from([0, 255]), contentType: 'x/y' });
  await order({ ...document, attempts: 3 });
  const { kind, name, request } = broker.last;
  expect([kind, name]).toEqual(['sent', 'transform.convert-packet']);
  expect(request.body).toEqual(Buffer.from([0, 255]));
  expect(request.params).toEqual({
    id: document._id,
    packetContentType: 'x/y',
    attempt: 3,
    ...facts,
    receivedTimestamp: '1970-01-01T00:00:00.000+00:00',
  });
});

test('is sent once the broker has confirmed the first event of the packet', async () => {
  const { broker, order } = world();
  const document = documentOf();
  await order(document);
  expect(broker.published).toEqual([JSON.parse(acceptedEventOf(document).text)]);
  broker.isAway = true;
  expect(await refusalOf(order(documentOf()))).toBe('503 unavailable');
  expect(broker.received).toHaveLength(1);
});

test('is sent once an event that is already being published is confirmed', async () => {
  const { broker, order } = world();
  await order(documentOf(), Promise.resolve(true));
  expect(broker.published).toEqual([]);
  expect(broker.received).toHaveLength(1);
  expect(await refusalOf(order(documentOf(), Promise.resolve(false)))).toBe('503 unavailable');
  expect(broker.received).toHaveLength(1);
});

test('publishes no event for an attempt that follows an earlier outcome', async () => {
  const { broker, order } = world();
  await order({ ...documentOf(), attempts: 2 });
  expect(broker.published).toEqual([]);
  expect(broker.received).toHaveLength(1);
});

test('is sent by the service for the retailer, with the restriction and trace of the original request', async () => {
  const { broker, order } = world();
  const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
  const document = documentOf({ retailer: 'other', requestId: 'r', consumers: ['joe'], traceparent });
  await order(document);
  expect(broker.last.call).toMatchObject({
    retailer: 'other',
    requestId: 'r',
    causationId: document._id,
    consumers: ['joe'],
    traceparent,
    principal: { kind: 'service', id: 'ingest' },
  });
});

test('omits the restriction and the trace if there are none', async () => {
  const { broker, order } = world();
  await order(documentOf());
  expect(broker.last.call).not.toHaveProperty('consumers');
  expect(broker.last.call).not.toHaveProperty('traceparent');
});

test.each(['converted', 'failed'] as const)('sends nothing for a packet that is %s', async (status) => {
  const { broker, order } = world();
  await order({ ...documentOf(), status });
  expect(broker.received).toEqual([]);
  expect(broker.published).toEqual([]);
});

test('fails if the broker does not confirm the message', async () => {
  const { broker, order } = world();
  broker.state = 'down';
  expect(await refusalOf(order(documentOf()))).toBe('503 unavailable');
});

test('leaves a request that the broker does not confirm to the sweep', async () => {
  const { broker } = world();
  const log = { ...silentLog, warn: jest.fn() };
  broker.state = 'down';
  await tryToRequestConversion({ broker, now, log }, documentOf());
  expect(log.warn).toHaveBeenCalledTimes(1);
});
