import {
  convertPacket,
  finishPacket,
  ingestContracts,
  ingestEvents,
  type PacketView,
} from '@receipts/contracts';
import { idAllotter, type EventRecord, type Item } from '@receipts/kernel';
import { connectBroker, on, type Broker } from '@receipts/messaging';
import type { Database } from '@receipts/storage';
import { openTestDatabase } from '@receipts/storage/testing';
import {
  callOf as clientCall,
  startMongo,
  emptyRabbit,
  testDatabase,
  until,
  type Mongo,
  type RabbitForTests,
  silentLog,
} from '@receipts/testing';
import type { Service } from '@receipts/host/open-service';
import { startService } from './service';

const idSecret = 'a secret of sixteen or more';
const allotter = idAllotter(idSecret);
const conversionRetryMs = 60_000;

let rabbit: RabbitForTests;
let mongo: Mongo;
let database: Database;
let broker: Broker;
let service: Service;

const conversionRequests: Item<typeof convertPacket>[] = [];
const events: EventRecord[] = [];

const callOf = (retailer: string) => clientCall(retailer, { id: allotter.allot(retailer) });

beforeAll(async () => {
  [rabbit, mongo] = await Promise.all([emptyRabbit(), startMongo()]);
  database = await openTestDatabase({ uri: mongo.uri, database: testDatabase('ingest') });
  broker = await connectBroker({ url: rabbit.url, service: 'test', log: silentLog });
  await broker.serve({
    owner: 'transform',
    contracts: { convertPacket },
    handlers: {
      convertPacket: {
        async batch(items) {
          conversionRequests.push(...items);
          return items.map(() => ({}));
        },
      },
    },
  });
  await broker.subscribe({
    queue: 'test.events',
    subscriptions: [on(Object.values(ingestEvents), async (received) => void events.push(...received))],
  });
  service = await startService({
    broker,
    database,
    log: silentLog,
    idSecret,
    basePath: '',
    conversionRetryMs,
  });
});

afterAll(async () => {
  await service?.stop();
  await broker?.close();
  await database?.close();
  await Promise.all([rabbit?.dispose(), mongo?.stop()]);
});

const inputOf = (body: string) => ({
  query: { free: [] },
  headers: { free: [] },
  contentType: 'text/plain',
  body: Buffer.from(body),
});

const orderOf = (id: string) =>
  until(`the request for ${id}`, () => conversionRequests.find(({ input }) => input.params.id === id));

const packetOf = async (retailer: string, id: string): Promise<PacketView> =>
  (await broker.ask(ingestContracts.getPacket, { params: { id } }, callOf(retailer))).body;

const finish = (retailer: string, id: string, failure: 'timeout' | null, attempt = 1) =>
  broker.send(
    finishPacket,
    {
      body: {
        id,
        attempt,
        receiptIds: failure ? [] : [id],
        mapping: { id: 'm', version: 2 },
        failure: failure && { reason: failure, errors: [{ path: '', code: failure, message: 'too slow' }] },
      },
    },
    callOf(retailer),
  );

const stateOf = async (retailer: string, id: string) =>
  (await broker.ask(ingestContracts.findPacketState, { body: { receipt_id: id } }, callOf(retailer))).body
    .state;

test('stores and publishes a packet under the id promised to the till, and requests its conversion', async () => {
  const call = callOf('acme');
  expect(await stateOf('acme', call.id)).toBe('unknown');
  await broker.send(ingestContracts.acceptPacket, inputOf('Sales: 1'), call);
  const order = await orderOf(call.id);
  expect(order.input.body.toString()).toBe('Sales: 1');
  expect(order.input.params).toMatchObject({ attempt: 1, packetContentType: 'text/plain' });
  expect(order.call).toMatchObject({ retailer: 'acme', requestId: call.requestId });
  expect(await packetOf('acme', call.id)).toMatchObject({
    id: call.id,
    receipt_id: call.id,
    status: 'accepted',
    size: 8,
    attempts: 1,
  });
  const event = await until('the event', () => events.find(({ subject }) => subject === call.id));
  expect(event).toMatchObject({ type: 'pos_receipt.accepted', retailer: 'acme', sequence: 1 });
  expect(await stateOf('acme', call.id)).toBe('accepted');
});

test('stores a packet and its events once, although its message and its outcome are delivered twice', async () => {
  const accept = async (body: string) => {
    const call = callOf('quick');
    await broker.send(ingestContracts.acceptPacket, inputOf(body), call);
    await orderOf(call.id);
    await finish('quick', call.id, null);
    return call;
  };
  const eventsOf = (id: string) =>
    until(`both events of ${id}`, () => {
      const found = events.filter(({ subject }) => subject === id);
      return found.length >= 2 && found;
    });
  const call = await accept('twice');
  const published = (await eventsOf(call.id)).map(({ type, sequence }) => [type, sequence]);
  expect(published.sort()).toEqual([
    ['pos_receipt.accepted', 1],
    ['pos_receipt.converted', 2],
  ]);
  await broker.send(ingestContracts.acceptPacket, inputOf('twice'), call);
  await finish('quick', call.id, null);
  await eventsOf((await accept('after')).id);
  expect(events.filter(({ subject }) => subject === call.id)).toHaveLength(2);
  expect(await packetOf('quick', call.id)).toMatchObject({
    status: 'converted',
    attempts: 1,
    receipt_ids: [call.id],
    mapping: { id: 'm', version: 2 },
  });
  expect(conversionRequests.filter(({ input }) => input.params.id === call.id)).toHaveLength(1);
  expect(await stateOf('quick', call.id)).toBe('converted');
});

test('stores the reason for a failure, and converts the packet again on request', async () => {
  const call = callOf('acme');
  await broker.ask(ingestContracts.acceptPacket, inputOf('x'), call);
  await finish('acme', call.id, 'timeout');
  const failed = await until('the failure', async () => {
    const found = await packetOf('acme', call.id);
    return found.status === 'failed' && found;
  });
  expect(failed).toMatchObject({ reason: 'timeout', errors: [{ code: 'timeout' }] });
  const { body: known } = await broker.ask(
    ingestContracts.findPacketState,
    { body: { receipt_id: call.id } },
    callOf('acme'),
  );
  expect(known).toEqual({ state: 'failed', failed: { id: call.id, reason: 'timeout' } });

  await broker.ask(ingestContracts.reprocessPacket, { params: { id: call.id } }, callOf('acme'));
  await until('the second request', () =>
    conversionRequests.find(({ input }) => input.params.id === call.id && input.params.attempt === 2),
  );
  // The failure of the first attempt arrives late and is ignored.
  await finish('acme', call.id, 'timeout', 1);
  await finish('acme', call.id, null, 2);
  await until('the conversion', async () => (await packetOf('acme', call.id)).status === 'converted');
  expect(await packetOf('acme', call.id)).toMatchObject({ attempts: 2, reason: null, errors: [] });
});

test('serves every query with an index', async () => {
  const collection = database.db.collection('packets');
  const filters = [
    { retailer: 'acme', _id: { $lt: 'f' } },
    { retailer: 'acme', status: 'failed' },
    { retailer: 'acme', reason: 'timeout' },
    { retailer: 'acme', receiptIds: 'x', 'receiptIds.1': { $exists: true } },
    { retailer: 'acme', keys: 'x' },
    { retailer: 'acme', keys: { $in: ['x', 'y'] } },
    { retryAt: { $lte: new Date() } },
  ];
  for (const filter of filters) {
    const plan = JSON.stringify(await collection.find(filter as object).explain('queryPlanner'));
    expect(plan).toContain('IXSCAN');
    expect(plan).not.toContain('COLLSCAN');
  }
});
