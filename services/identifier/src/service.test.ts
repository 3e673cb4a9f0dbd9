import { adminContracts, identifierContracts as contracts, identifierEvents } from '@receipts/contracts';
import { newId, type EventRecord } from '@receipts/kernel';
import { connectBroker, on, type Broker } from '@receipts/messaging';
import type { Database } from '@receipts/storage';
import { openTestDatabase } from '@receipts/storage/testing';
import {
  internalEvent,
  type Mongo,
  type RabbitForTests,
  startMongo,
  emptyRabbit,
  testDatabase,
  until,
  silentLog,
} from '@receipts/testing';
import type { Service } from '@receipts/host/open-service';
import { startService } from './service';
import { callOf, noRoutes, receiptEvent, refusalOf } from './testing/world';

/** Two processes of the service on one broker and one database. */
interface Copy {
  readonly broker: Broker;
  readonly database: Database;
  readonly service: Service;
}

const retailer = `r-${newId()}`;
const databaseName = testDatabase('identifier');
const events: EventRecord[] = [];

let rabbit: RabbitForTests;
let mongo: Mongo;
let caller: Broker;
let copies: Copy[] = [];

async function startCopy(): Promise<Copy> {
  const broker = await connectBroker({ url: rabbit.url, service: 'identifier', log: silentLog });
  const database = await openTestDatabase({ uri: mongo.uri, database: databaseName });
  return {
    broker,
    database,
    service: await startService({
      broker,
      database,
      log: silentLog,
      provider: noRoutes,
      secrets: ['of a test'],
    }),
  };
}

async function stopCopy({ broker, database, service }: Copy): Promise<void> {
  await service.stop();
  await broker.close();
  await database.close();
}

beforeAll(async () => {
  [rabbit, mongo] = await Promise.all([emptyRabbit(), startMongo()]);
  caller = await connectBroker({ url: rabbit.url, service: 'test', log: silentLog });
  await caller.subscribe({
    queue: 'test.identifiers',
    subscriptions: [on(Object.values(identifierEvents), async (batch) => void events.push(...batch))],
    exclusive: true,
  });
  await caller.serve({
    owner: 'admin',
    contracts: { findRetailer: adminContracts.findRetailer },
    handlers: { findRetailer: async () => ({ body: { retailer: null } }) },
  });
  copies = [await startCopy(), await startCopy()];
});

afterAll(async () => {
  await Promise.all(copies.map(stopCopy));
  await caller?.close();
  await mongo?.stop();
  await rabbit?.dispose();
});

const totalOf = async (identifier: string) => {
  const answer = caller.ask(contracts.getIdentifier, { params: { identifier } }, callOf(retailer));
  return (await answer.catch(() => undefined))?.body.summary as
    | { receipts?: number; total?: number }
    | undefined;
};

test('computes one total if two processes handle contributions repeatedly and in any order', async () => {
  const ids = Array.from({ length: 30 }, () => newId());
  const versions = [3, 1, 2].flatMap((sequence) =>
    ids.map((id) => receiptEvent(retailer, sequence, { id, identifier: 'jane', total: sequence })),
  );
  // Sent one by one, so that they are distributed to both processes.
  await Promise.all([...versions, ...versions].map((event) => caller.publish([internalEvent(event)])));
  await until('the total is that of the last versions', async () => {
    const summary = await totalOf('jane');
    return summary?.receipts === 30 && summary.total === 90;
  });
  await until('the event of the identifier was published', () =>
    events.some(({ subject }) => subject === 'jane'),
  );
  expect(new Set(events.filter(({ subject }) => subject === 'jane').map(({ id }) => id)).size).toBe(1);
});

test('does not delay other events because of an invalid event', async () => {
  const broken = { ...receiptEvent(retailer, 1, { id: newId(), identifier: 'x' }), data: null };
  const good = receiptEvent(retailer, 1, { id: newId(), identifier: 'joe' });
  await caller.publish([broken, good].map(internalEvent));
  await until('the valid event is handled', async () => (await totalOf('joe'))?.receipts === 1);
});

test('creates an identifier only once, and leaves nothing in the outbox', async () => {
  const body = { identifier: 'posted' };
  const create = () => caller.ask(contracts.createIdentifier, { body }, callOf(retailer));
  expect((await create()).meta).toEqual({ identifier: 'posted', version: 1 });
  expect(await refusalOf(create())).toBe('409 identifier_exists');
  await until('the event has arrived', () => events.some(({ subject }) => subject === 'posted'));
  const documents = copies[0]?.database.db.collection('identifiers');
  await until('the outbox is empty', async () => {
    return (await documents?.countDocuments({ 'outbox.id': { $exists: true } })) === 0;
  });
});
