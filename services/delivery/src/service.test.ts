import {
  adminContracts,
  deliveryContracts as contracts,
  deliveryEvents,
  identifierContracts,
  receiptStoreContracts,
  type ReturnedReceipt,
} from '@receipts/contracts';
import { newId, ServiceError, type EventRecord } from '@receipts/kernel';
import { connectBroker, on, type Broker } from '@receipts/messaging';
import type { Database } from '@receipts/storage';
import { openTestDatabase } from '@receipts/storage/testing';
import {
  internalEvent,
  startMongo,
  emptyRabbit,
  testDatabase,
  type Mongo,
  type RabbitForTests,
  until,
  silentLog,
} from '@receipts/testing';
import type { Service } from '@receipts/host/open-service';
import { claimMs } from './sending/domain/schedule';
import { startService } from './service';
import { callOf, publicUrl, recordedEvent, receiptOf, retailerOf, webhookParts } from './testing/samples';

/** Two processes of the service on one broker and one database; the test simulates the other services. */
interface Copy {
  readonly broker: Broker;
  readonly database: Database;
  readonly service: Service;
}

const retailer = `r-${newId()}`;
const databaseName = testDatabase('delivery');
const receipts = new Map<string, ReturnedReceipt>();
const events: EventRecord[] = [];
const mails: string[] = [];
/** E-mails to this address are held back until a test calls these functions. */
const slowDomain = '@slow.example';
const hanging: (() => void)[] = [];

let rabbit: RabbitForTests;
let mongo: Mongo;
let caller: Broker;
let others: Broker;
let copies: Copy[] = [];

const connect = (service: string) => connectBroker({ url: rabbit.url, service, log: silentLog });

async function startCopy(): Promise<Copy> {
  const broker = await connect('delivery');
  const database = await openTestDatabase({ uri: mongo.uri, database: databaseName });
  const mailer = {
    send: async ({ to }: { to: string }) => {
      if (to.endsWith(slowDomain)) await new Promise<void>((resolve) => hanging.push(resolve));
      mails.push(to);
    },
  };
  const mailFrom = 'receipts@platform.example';
  return {
    broker,
    database,
    service: await startService({
      alertPauses: { delayMs: 0, intervalMs: 0 },
      broker,
      database,
      log: silentLog,
      mailer,
      mailFrom,
      accounts: {},
      idSecret: 'a secret',
      publicUrl,
      findLogo: () => Promise.resolve(undefined),
      ...webhookParts(),
    }),
  };
}

async function stopCopy({ broker, database, service }: Copy): Promise<void> {
  await service.stop();
  await broker.close();
  await database.close();
}

const notFound = () => new ServiceError({ status: 404, code: 'not_found', description: 'not found' });

/** Simulates the services that this one calls. */
async function serveOthers(broker: Broker): Promise<void> {
  const { findRetailer } = adminContracts;
  const { getReceipt } = receiptStoreContracts;
  const { getIdentifier } = identifierContracts;
  await broker.serve({
    owner: 'admin',
    contracts: { findRetailer },
    handlers: {
      findRetailer: async ({ body: { id } }) => ({ body: { retailer: retailerOf(id, { auto_send: true }) } }),
    },
  });
  await broker.serve({
    owner: 'receipt-store',
    contracts: { getReceipt },
    handlers: {
      getReceipt: async ({ params: { id } }) => {
        const body = receipts.get(id);
        if (!body) throw notFound();
        return { body, meta: { version: 1 } };
      },
    },
  });
  await broker.serve({
    owner: 'identifier',
    contracts: { getIdentifier },
    handlers: {
      getIdentifier: async () => {
        throw notFound();
      },
    },
  });
}

function arrival(of = retailer, domain = '@example.com'): EventRecord {
  const receipt = receiptOf({ identifier: `${newId()}${domain}` });
  receipts.set(receipt.id, receipt);
  return recordedEvent(of, receipt);
}

beforeAll(async () => {
  [rabbit, mongo] = await Promise.all([emptyRabbit(), startMongo()]);
  [caller, others] = await Promise.all([connect('test'), connect('others')]);
  await caller.subscribe({
    queue: 'test.deliveries',
    subscriptions: [on(Object.values(deliveryEvents), async (batch) => void events.push(...batch))],
    exclusive: true,
  });
  await serveOthers(others);
  copies = [await startCopy(), await startCopy()];
});

afterAll(async () => {
  await Promise.all(copies.map(stopCopy));
  await Promise.all([caller?.close(), others?.close()]);
  await mongo?.stop();
  await rabbit?.dispose();
});

test('sends one e-mail for each event that two processes receive twice', async () => {
  const arrivals = Array.from({ length: 12 }, () => arrival());
  await Promise.all([...arrivals, ...arrivals].map((event) => caller.publish([internalEvent(event)])));
  const sentOnes = () => new Set(events.filter(({ type }) => type === 'delivery.sent').map(({ id }) => id));
  // On an overloaded machine, an attempt may be abandoned; its claim expires after two minutes.
  await until('all were published', () => sentOnes().size >= arrivals.length, 2 * claimMs);
  expect(sentOnes().size).toBe(arrivals.length);
  expect([...mails].sort()).toEqual(
    arrivals.map(({ data }) => (data as { identifier: string }).identifier).sort(),
  );
  const deliveries = copies[0]?.database.db.collection('deliveries');
  expect(await deliveries?.countDocuments({ retailer })).toBe(arrivals.length);
  await until('the outbox is empty', async () => {
    return (await deliveries?.countDocuments({ 'outbox.id': { $exists: true } })) === 0;
  });
});

test('sends on request and lists the deliveries', async () => {
  const receipt = receiptOf({ identifier: 'jane@example.com' });
  receipts.set(receipt.id, receipt);
  const body = { id: receipt.id, channels: ['email'] };
  const answer = await caller.ask(contracts.sendReceipt, { body }, callOf(retailer));
  expect([answer.body, answer.meta]).toEqual([{ id: receipt.id }, { resolved: false }]);
  const input = { params: { id: receipt.id }, query: {} };
  await until('the receipt was sent', async () => {
    const { deliveries } = (await caller.ask(contracts.listDeliveries, input, callOf(retailer))).body;
    return deliveries[0]?.status === 'sent';
  });
});

test("does not delay e-mails because of another retailer's many slow e-mails", async () => {
  const many = Array.from({ length: 10 }, () => arrival(`${retailer}-slow`, slowDomain));
  await caller.publish(many.map(internalEvent));
  await until('the maximum number of e-mails is in progress', () => hanging.length === 2 * 4);
  const quiet = receiptOf({ identifier: 'quiet@example.com' });
  receipts.set(quiet.id, quiet);
  await caller.publish([internalEvent(recordedEvent(`${retailer}-quiet`, quiet))]);
  await until('the other e-mail was sent', () => mails.includes('quiet@example.com'));
  expect(hanging).toHaveLength(2 * 4);
  await until('all e-mails were sent', () => {
    for (const handOver of hanging.splice(0)) handOver();
    return mails.filter((address) => address.endsWith(slowDomain)).length === many.length;
  });
});

test('leaves the work of a stopping process to the others', async () => {
  const arrivals = Array.from({ length: 10 }, () => arrival());
  const publishing = Promise.all(arrivals.map((event) => caller.publish([internalEvent(event)])));
  await stopCopy(copies.pop() as Copy);
  await publishing;
  const wanted = arrivals.map(({ data }) => (data as { identifier: string }).identifier);
  await until('every e-mail was sent', () => wanted.every((address) => mails.includes(address)));
});
