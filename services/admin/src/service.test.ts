import { adminContracts, adminEvents, type StoreRecord } from '@receipts/contracts';
import { sealer } from '@receipts/host';
import type { EventRecord } from '@receipts/kernel';
import { connectBroker, on, type Broker } from '@receipts/messaging';
import type { Database } from '@receipts/storage';
import { openTestDatabase } from '@receipts/storage/testing';
import {
  startMongo,
  emptyRabbit,
  testDatabase,
  type Mongo,
  type RabbitForTests,
  silentLog,
} from '@receipts/testing';
import type { Service } from '@receipts/host/open-service';
import { startService } from './service';
import { callOf, masterKey, refusalOf } from './testing/admin-world';

let rabbit: RabbitForTests;
let mongo: Mongo;
let database: Database;
let broker: Broker;
let caller: Broker;
let admin: Service;
const events: EventRecord[] = [];

beforeAll(async () => {
  [rabbit, mongo] = await Promise.all([emptyRabbit(), startMongo()]);
  database = await openTestDatabase({ uri: mongo.uri, database: testDatabase('admin') });
  const url = rabbit.url;
  broker = await connectBroker({ url, service: 'admin', log: silentLog });
  caller = await connectBroker({ url, service: 'test', log: silentLog });
  await caller.subscribe({
    queue: 'test.on-events',
    subscriptions: [on(Object.values(adminEvents), async (batch) => void events.push(...batch))],
    exclusive: true,
  });
  admin = await startService({
    broker,
    database,
    sealer: sealer(masterKey),
    access: undefined,
    publicUrl: 'https://receipts.example',
    operatorTokens: {},
    log: silentLog,
  });
});

afterAll(async () => {
  await admin.stop();
  await caller.close();
  await broker.close();
  await database.close();
  await Promise.all([rabbit.dispose(), mongo.stop()]);
});

async function eventually<T>(read: () => T | undefined): Promise<T> {
  const untilMs = Date.now() + 60_000;
  for (;;) {
    const found = read();
    if (found !== undefined) return found;
    if (Date.now() > untilMs) throw new Error('the condition was not met within 30 s');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('admin on RabbitMQ', () => {
  it('replies, rejects and publishes through the broker', async () => {
    const body = {
      name: 'Rivoli',
      country: 'FRA',
      properties: JSON.parse('{"__proto__":1,"b":2}') as object,
    };
    const created = await caller.ask(adminContracts.createStore, { body }, callOf());
    expect(created).toMatchObject({ body: { reference: 1 }, meta: { reference: 1 } });
    const params = { reference: '1' };
    const read = await caller.ask(adminContracts.getStore, { params }, callOf());
    expect(JSON.stringify(read.body.properties)).toBe('{"__proto__":1,"b":2}');
    const patch = [{ op: 'test', path: '/name', value: 'x' }];
    const patched = caller.ask(adminContracts.patchStore, { params, headers: {}, body: patch }, callOf());
    expect(await refusalOf(patched)).toBe('409 patch_test_failed');
    const event = await eventually(() => events.find(({ type }) => type === 'store.created'));
    expect((event.data as StoreRecord).name).toBe('Rivoli');
  });

  it('leaves nothing in the outbox', async () => {
    await caller.ask(adminContracts.createStore, { body: { name: 'a', country: 'FRA' } }, callOf());
    const pending = () => database.db.collection('stores').countDocuments({ 'outbox.id': { $exists: true } });
    const untilMs = Date.now() + 60_000;
    while ((await pending()) > 0) {
      if (Date.now() > untilMs) throw new Error('the outbox was not cleared within 30 s');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  });
});
