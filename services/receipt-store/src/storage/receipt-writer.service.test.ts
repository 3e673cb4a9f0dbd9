import type { Collection } from 'mongodb';
import { newId, ServiceError } from '@receipts/kernel';
import type { Database } from '@receipts/storage';
import { openTestDatabase } from '@receipts/storage/testing';
import { startMongo, testDatabase, type Mongo } from '@receipts/testing';
import { receiptCollection, type ReceiptDocument, type StoredReceipt } from './receipt-document';
import { ReceiptWriter, type NewReceipt } from './receipt-writer';
import { Receipts } from './receipts';

let mongo: Mongo;
let database: Database;
let collection: Collection<StoredReceipt>;

beforeAll(async () => {
  mongo = await startMongo({ isPrivate: true });
  database = await openTestDatabase({ uri: mongo.uri, database: testDatabase() });
  collection = await database.collection<StoredReceipt>(receiptCollection);
});

afterAll(async () => {
  await database.close();
  await mongo.stop();
});

const timeLimit = (ms = 60_000) => ({ deadline: Date.now() + ms });

function receiptOf(retailer: string, change: Partial<NewReceipt> = {}): NewReceipt {
  const id = newId();
  return {
    _id: id,
    retailer,
    version: 1,
    transaction_id: id,
    store_key: 'id:1',
    origin: `call:${id}`,
    text: `{"id":"${id}"}`,
    search: { terms: [], numbers: {}, texts: [] },
    ...change,
  };
}

const added = { arrival: expect.any(Number) as number };

const writerOf = (from: Collection<StoredReceipt> = collection) =>
  new ReceiptWriter(from, new Receipts(collection));

const orderOf = async (retailer: string) =>
  (await collection.find({ retailer }, { sort: { arrival: 1 } }).toArray()).map(({ _id, arrival }) => [
    _id,
    arrival,
  ]);

/** The collection, with a hook around each insert. */
function around(insert: (send: () => Promise<unknown>, documents: ReceiptDocument[]) => Promise<unknown>) {
  const command = (body: { documents: ReceiptDocument[] }, options: object) =>
    insert(() => collection.db.command(body, options), body.documents);
  return {
    collectionName: collection.collectionName,
    db: { command },
  } as unknown as Collection<StoredReceipt>;
}

test('shares one ordered insert among concurrent receipts of different retailers', async () => {
  const [a, b] = [newId(), newId()];
  const inserts: number[] = [];
  const counting = writerOf(
    around((send, documents) => {
      inserts.push(documents.length);
      return send();
    }),
  );
  const receipts = Array.from({ length: 20 }, (_, n) => receiptOf(n % 2 === 0 ? a : b));
  const outcomes = await Promise.all(receipts.map((receipt) => counting.add([receipt], timeLimit())));
  expect(outcomes.flat()).toEqual(receipts.map(() => added));
  expect(inserts).toEqual([20]);
  for (const retailer of [a, b]) {
    const own = receipts.filter((receipt) => receipt.retailer === retailer);
    expect(await orderOf(retailer)).toEqual(own.map(({ _id }, i) => [_id, i + 1]));
  }
});

test('adds the first of several receipts that share an id, and returns its id for the others', async () => {
  const retailer = newId();
  const external_id = newId();
  const pairs = Array.from({ length: 30 }, () => {
    const one = receiptOf(retailer);
    return [one, receiptOf(retailer, { transaction_id: one.transaction_id })] as const;
  });
  const both = [receiptOf(retailer, { external_id }), receiptOf(retailer, { external_id })] as const;
  const inserts: number[] = [];
  const counting = around((send, documents) => {
    inserts.push(documents.length);
    return send();
  });
  const all = [...pairs, both];
  const outcomes = await writerOf(counting).add(all.flat(), timeLimit());
  expect(outcomes).toEqual(all.flatMap(([{ _id }]) => [added, expect.objectContaining({ _id })]));
  expect(inserts).toEqual([31, 31]);
  expect(await orderOf(retailer)).toEqual(all.map(([{ _id }], i) => [_id, i + 1]));
});

test('continues from the last number after other writers were faster, for all retailers at once', async () => {
  const retailers = Array.from({ length: 6 }, () => newId());
  const overtaken = writerOf();
  const batch = () => retailers.flatMap((retailer) => [receiptOf(retailer), receiptOf(retailer)]);
  await overtaken.add(batch(), timeLimit());
  await writerOf().add(batch(), timeLimit());
  const last = batch();
  expect(await overtaken.add(last, timeLimit())).toEqual(last.map(() => added));
  for (const retailer of retailers) {
    const order = await orderOf(retailer);
    expect(order.map(([, arrival]) => arrival)).toEqual([1, 2, 3, 4, 5, 6]);
    const own = last.filter((receipt) => receipt.retailer === retailer).map(({ _id }) => _id);
    expect(order.slice(4).map(([id]) => id)).toEqual(own);
  }
});

test('reports a receipt that the database rejects, without affecting others', async () => {
  const retailer = newId();
  const tooLarge = receiptOf(retailer, { text: 'x'.repeat(17 * 1024 * 1024) });
  const writer = writerOf();
  const good = [receiptOf(retailer), receiptOf(retailer)];
  const refused = writer.add([tooLarge], timeLimit()).catch((error: unknown) => error);
  const outcomes = await Promise.all(good.map((receipt) => writer.add([receipt], timeLimit())));
  expect(outcomes).toEqual([[added], [added]]);
  expect(await refused).toMatchObject({ name: 'RangeError' });
  expect(await orderOf(retailer)).toEqual(good.map(({ _id }, i) => [_id, i + 1]));
});

test('checks a write without a reply, and does not resend receipts that it has stored', async () => {
  const retailer = newId();
  let lost = 0;
  const lossy = around(async (send, documents) => {
    if (lost++ > 0) return send();
    // Half of the insert is applied, as when a server crashes in between.
    await collection.insertMany(documents.slice(0, 2));
    throw Object.assign(new Error('the connection broke'), { name: 'TimeoutError' });
  });
  const receipts = Array.from({ length: 4 }, () => receiptOf(retailer));
  const [first, second, ...others] = await writerOf(lossy).add(receipts, timeLimit());
  expect([first, second]).toEqual(
    receipts.slice(0, 2).map(({ _id, origin }) => expect.objectContaining({ _id, origin })),
  );
  expect(others).toEqual([added, added]);
  expect(await orderOf(retailer)).toEqual(receipts.map(({ _id }, i) => [_id, i + 1]));
});

test('stores nothing from a late write whose receipts have been sent again in the meantime', async () => {
  const retailer = newId();
  let late: (() => Promise<unknown>) | undefined;
  const slow = around((send) => {
    if (late) return send();
    late = send;
    return Promise.reject(Object.assign(new Error('no answer'), { name: 'TimeoutError' }));
  });
  const receipts = [receiptOf(retailer), receiptOf(retailer)];
  expect(await writerOf(slow).add(receipts, timeLimit())).toEqual([added, added]);
  await late?.();
  expect(await orderOf(retailer)).toEqual(receipts.map(({ _id }, i) => [_id, i + 1]));
});

test('rejects receipts with `unavailable` while the database hangs, and stores them in order or not at all', async () => {
  const retailer = newId();
  const writer = writerOf();
  await writer.add([receiptOf(retailer)], timeLimit());
  const unsure = [receiptOf(retailer), receiptOf(retailer)];
  mongo.freeze(true);
  const outcomes = await writer.add(unsure, timeLimit(1_000));
  mongo.freeze(false);
  for (const outcome of outcomes) {
    expect(outcome).toBeInstanceOf(ServiceError);
    expect(outcome).toMatchObject({ status: 503, code: 'unavailable' });
  }
  const after = receiptOf(retailer);
  expect(await writer.add([after], timeLimit())).toEqual([added]);
  const order = await orderOf(retailer);
  expect(order.map(([, arrival]) => arrival)).toEqual(order.map((_receipt, i) => i + 1));
  // No further changes are made, even if the server still finds data in its sockets.
  await writer.add([receiptOf(retailer)], timeLimit());
  expect((await orderOf(retailer)).slice(0, order.length)).toEqual(order);
});

test('does not lose a receipt that arrives right after another was completed', async () => {
  const retailer = newId();
  const writer = writerOf();
  for (let n = 0; n < 50; n++) expect(await writer.add([receiptOf(retailer)], timeLimit())).toEqual([added]);
});

test('does not write a receipt whose caller no longer waits', async () => {
  const retailer = newId();
  const late = receiptOf(retailer);
  const [outcome] = await writerOf().add([late], { deadline: Date.now() - 1 });
  expect(outcome).toMatchObject({ status: 503 });
  expect(await orderOf(retailer)).toEqual([]);
});
