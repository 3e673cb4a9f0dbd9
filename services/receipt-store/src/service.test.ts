import {
  adminContracts,
  adminEvents,
  receiptStoreContracts as contracts,
  receiptStoreEvents,
  type ReturnedReceipt,
  type StoreRecord,
} from '@receipts/contracts';
import { eventOf, idAllotter, newId, ServiceError, type Call, type EventRecord } from '@receipts/kernel';
import { connectBroker, on, type Broker } from '@receipts/messaging';
import type { Database } from '@receipts/storage';
import { openTestDatabase } from '@receipts/storage/testing';
import {
  type Mongo,
  type RabbitForTests,
  startMongo,
  emptyRabbit,
  testDatabase,
  until,
  silentLog,
} from '@receipts/testing';
import type { ReceiptStore } from './use-cases/create-dependencies';
import { startService } from './service';
import { idSecret, publicUrl, receiptBytesMax, refusal } from './testing/harness';
import { callOf, postedReceipt, retailerOf, storeOf } from './testing/samples';

/** Two processes of the service on one broker and one database; the test simulates admin. */
interface Copy {
  readonly broker: Broker;
  readonly database: Database;
  readonly service: ReceiptStore;
}

const retailer = `r-${newId()}`;
const databaseName = testDatabase();
const events: EventRecord[] = [];
const stores: StoreRecord[] = [];
const timeoutMs = 60_000;

let rabbit: RabbitForTests;
let mongo: Mongo;
let caller: Broker;
let admin: Broker;
let copies: Copy[] = [];

const connect = (name: string) => connectBroker({ url: rabbit.url, service: name, log: silentLog });

async function startCopy(): Promise<Copy> {
  const broker = await connect('receipt-store');
  const database = await openTestDatabase({ uri: mongo.uri, database: databaseName });
  return {
    broker,
    database,
    service: await startService({ broker, database, log: silentLog, idSecret, publicUrl, receiptBytesMax }),
  };
}

async function stopCopy({ broker, database, service }: Copy): Promise<void> {
  await service.stop();
  await broker.close();
  await database.close();
}

/** Simulates the parts of admin that this service uses. */
async function serveAdmin(broker: Broker): Promise<void> {
  const { listRetailers, listStoreRecords, findStore, findRetailer } = adminContracts;
  const record = retailerOf(retailer);
  await broker.serve({
    owner: 'admin',
    contracts: { listRetailers, listStoreRecords, findStore, findRetailer },
    handlers: {
      listRetailers: async () => ({ body: { retailers: [record], next: null } }),
      listStoreRecords: async () => ({ body: { stores, next: null } }),
      findStore: async ({ body }) => ({
        body: { store: stores.find(({ reference }) => String(reference) === body.reference) ?? null },
      }),
      findRetailer: async ({ body }) => ({ body: { retailer: body.id === retailer ? record : null } }),
    },
  });
}

const patient = (change: Partial<Call> = {}) =>
  callOf(retailer, { deadline: Date.now() + timeoutMs, ...change });

const post = async (change: Parameters<typeof postedReceipt>[0] = {}, call = patient()) =>
  (await caller.ask(contracts.createReceipt, { body: postedReceipt(change) }, call)).body.id;

beforeAll(async () => {
  [rabbit, mongo] = await Promise.all([emptyRabbit(), startMongo()]);
  caller = await connect('caller');
  await caller.subscribe({
    queue: 'test.receipts',
    subscriptions: [on(Object.values(receiptStoreEvents), async (batch) => void events.push(...batch))],
  });
  admin = await connect('admin');
  await serveAdmin(admin);
  copies = await Promise.all([startCopy(), startCopy()]);
  await until('the directories are complete', () => copies.every(({ service }) => service.isReady()));
});

afterAll(async () => {
  await Promise.all(copies.map(stopCopy));
  await Promise.all([caller?.close(), admin?.close()]);
  await mongo?.stop();
  await rabbit?.dispose();
});

test('returns every receipt once and in order to a client that follows newer links, with two processes and many writers', async () => {
  const writers = 8;
  const each = 15;
  const posted = new Set<string>();
  const writing = Promise.all(
    Array.from({ length: writers }, async () => {
      for (let n = 0; n < each; n++) posted.add(await post({ identifier: `c${n % 3}` }));
    }),
  );
  const seen: string[] = [];
  const query = { count: 5 };
  let newer: string | undefined;
  await until('everything was seen', async () => {
    const asked = { ...query, ...(newer !== undefined && { newer }) };
    const { body } = await caller.ask(contracts.listReceipts, { query: asked }, patient());
    // The first response only contains the position to continue from.
    if (newer !== undefined) seen.push(...body.receipts.map(({ id }) => id).reverse());
    else expect(body.receipts).toEqual([]);
    const link = body._links.newer?.href;
    newer = new URL(link ?? '', 'http://base').searchParams.get('newer') ?? undefined;
    return seen.length >= writers * each;
  });
  await writing;
  expect(seen).toHaveLength(writers * each);
  expect(new Set(seen)).toEqual(posted);

  const back: string[] = [];
  let older: string | undefined;
  for (;;) {
    const asked = { ...query, ...(older !== undefined && { older }) };
    const { body } = await caller.ask(contracts.listReceiptsV1, { query: asked }, patient());
    if (body.length === 0) break;
    back.push(...body.map(({ id }) => id));
    older = back.at(-1);
  }
  expect(back.reverse()).toEqual(seen);
});

test('publishes the event of every receipt, and leaves nothing behind', async () => {
  const id = await post({ identifier: 'jane', external_id: 'F47AC10B-58CC-4372-A567-0E02B2C3D479' });
  await until('the event has arrived', () => events.some(({ subject }) => subject === id));
  const event = events.find(({ subject }) => subject === id) as EventRecord<
    string,
    { receipt: ReturnedReceipt }
  >;
  expect(event).toMatchObject({
    type: 'receipt.created',
    source: `/retailers/${retailer}/receipts`,
    sequence: 1,
    data: { id, identifier: 'jane', external_id: 'f47ac10b-58cc-4372-a567-0e02b2c3d479', receipt: { id } },
  });
  const { body } = await caller.ask(contracts.getReceipt, { params: { id }, query: {} }, patient());
  expect(event.data.receipt).toEqual(body);
  const receipts = copies[0]?.database.db.collection('receipts');
  await until(
    'the outbox is empty',
    async () => (await receipts?.countDocuments({ 'outbox.id': { $exists: true } })) === 0,
  );
});

test('applies a new store and a changed setting in every process', async () => {
  const store = storeOf(retailer, { reference: 9, external_reference: null });
  const call = { id: newId(), requestId: newId(), retailer };
  const facts = { subject: '9', sequence: 1, data: store };
  await caller.publish([eventOf(adminEvents.storeCreated, facts, call, new Date())]);
  await until('both copies know it', async () => {
    const ids = await Promise.all([post({ store_reference: 9 }), post({ store_reference: '0009' })]);
    const answers = await Promise.all(
      ids.map((id) => caller.ask(contracts.getReceipt, { params: { id }, query: {} }, patient())),
    );
    return answers.every(({ body }) => body.store.name === 'Opéra');
  });
});

test('repeats the original response for a retry with the same key in another process', async () => {
  const change = { transaction_id: newId() };
  const body = postedReceipt(change);
  const ask = () => caller.ask(contracts.createReceipt, { body }, patient({ idempotencyKey: 'key-1' }));
  const answers = await Promise.all([ask(), ask(), ask()]);
  expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
  expect(answers.filter(({ replayed }) => replayed)).toHaveLength(2);
});

test('treats a promised receipt as pending only while it can still arrive', async () => {
  const id = idAllotter(idSecret).allot(retailer);
  const ask = (wanted: string) =>
    caller.ask(
      contracts.getReceipt,
      { params: { id: wanted }, query: {} },
      patient({ deadline: Date.now() + 1_000 }),
    );
  // The test runs without ingest, so the service cannot know whether a packet exists.
  expect(await refusal(ask(id))).toMatchObject({ status: 503 });
  expect(await refusal(ask(newId()))).toMatchObject({ status: 404 });
});

test('finishes the work of a stopping process, while the others continue', async () => {
  const posting = Array.from({ length: 40 }, () => post().catch((error: unknown) => error));
  await stopCopy(copies.pop() as Copy);
  const outcomes = await Promise.all(posting);
  const refused = outcomes.filter((outcome) => typeof outcome !== 'string');
  expect(refused.filter((error) => !(error instanceof ServiceError))).toEqual([]);
  for (const id of outcomes) {
    if (typeof id !== 'string') continue;
    const { body } = await caller.ask(contracts.getReceipt, { params: { id }, query: {} }, patient());
    expect(body.id).toBe(id);
  }
  expect(refused).toEqual([]);
});
