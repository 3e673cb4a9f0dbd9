import { Collection } from 'mongodb';
import { receiptStoreContracts as contracts } from '@receipts/contracts';
import { newId, type EventRecord } from '@receipts/kernel';
import type { WatermarkDocument } from '@receipts/storage';
import { until } from '@receipts/testing';
import { Harness } from '../testing/harness';
import { callOf, postedReceipt, retailerOf } from '../testing/samples';
import type { ReceiptDocument } from './receipt-document';

let harness: Harness;
beforeEach(async () => {
  harness = await Harness.start();
});
afterEach(() => harness.stop());

const published = (id: string) =>
  [...harness.fake.published, ...harness.fake.figures].filter(({ subject }) => subject === id);
const watermarks = () => harness.database.db.collection<WatermarkDocument>('event_watermarks');
const stored = (id: string) =>
  harness.database.db.collection<ReceiptDocument>('receipts').findOne({ _id: id });

const assign = (retailer: string, id: string, identifier: string) =>
  harness.fake.call(
    contracts.assignReceipt,
    { query: {}, body: { id, identifier } } as never,
    callOf(retailer),
  );

test('stores the text of a receipt once, and moves the watermark past the receipt when its events are published', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const ids = await harness.post(retailer, [{}, {}, {}]);
  const [id] = ids as [string];
  const document = await stored(id);
  expect(document).not.toHaveProperty('outbox');
  expect(JSON.stringify(document).split('"Coffee"')).toHaveLength(1);
  await until(
    'the watermark follows',
    async () => (await watermarks().findOne({ _id: retailer }))?.upTo === 3,
  );
  for (const each of ids) {
    expect(
      published(each)
        .map(({ type }) => type)
        .sort(),
    ).toEqual(['receipt.created', 'receipt.recorded']);
  }
});

/** A retailer that the sweep knows. */
async function knownRetailer(): Promise<string> {
  const retailer = harness.retailer((id) => retailerOf(id));
  const data = harness.retailers.find(({ id }) => id === retailer);
  await harness.fake.deliver({ type: 'retailer.updated', data });
  return retailer;
}

test('publishes the events that a crashed process left above the watermark, with the same ids', async () => {
  const retailer = await knownRetailer();
  harness.fake.isAway = true;
  const [id] = (await harness.post(retailer, [{ identifier: 'jane' }])) as [string];
  expect(published(id)).toEqual([]);
  harness.fake.isAway = false;
  await until('both events are published', () => published(id).length >= 2);
  const created = published(id).find(({ type }) => type === 'receipt.created') as EventRecord;
  expect(created.id).toBe((await stored(id))?.created?.event);
  expect(created.data).toMatchObject({ id, receipt: await harness.get(retailer, id) });
  await until(
    'the watermark follows',
    async () => (await watermarks().findOne({ _id: retailer }))?.upTo === 1,
  );
});

test('saves the created event, which contains the original receipt, with a change made before the watermark passes it', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  harness.fake.isAway = true;
  const [id] = (await harness.post(retailer, [{ identifier: undefined }])) as [string];
  await assign(retailer, id, 'jane');
  const pending = (await stored(id))?.outbox?.map(({ type }) => type);
  expect(pending).toEqual(['receipt.created', 'receipt.recorded', 'receipt.assigned', 'receipt.revised']);
  harness.fake.isAway = false;
  await until('the assignment is published', () =>
    published(id).some(({ type }) => type === 'receipt.assigned'),
  );
  const created = published(id).find(({ type }) => type === 'receipt.created');
  expect(created).toMatchObject({ sequence: 1, data: { identifier: null, receipt: { identifier: null } } });
});

test('does not move the watermark past a receipt before its words are stored', async () => {
  const [retailer, other] = [await knownRetailer(), await knownRetailer()];
  let isAway = true;
  const { insertMany } = Collection.prototype;
  const spy = jest.spyOn(Collection.prototype, 'insertMany').mockImplementation(function (
    this: Collection,
    documents,
    options,
  ) {
    const isVocabulary = documents.some(({ _id: id }) => String(id).startsWith(`${retailer}|`));
    return isAway && isVocabulary
      ? Promise.reject(new Error('away'))
      : insertMany.call(this, documents, options);
  });
  await harness.post(retailer, [{}]);
  await harness.post(other, [{}]);
  const upTo = async (id: string) => (await watermarks().findOne({ _id: id }))?.upTo;
  await until("the other retailer's watermark follows", async () => (await upTo(other)) === 1);
  expect(await upTo(retailer)).not.toBe(1);
  isAway = false;
  await until('the watermark follows', async () => (await upTo(retailer)) === 1);
  spy.mockRestore();
  const words = harness.database.db.collection<{ _id: string }>('vocabulary');
  expect(await words.findOne({ _id: { $gt: `${retailer}|`, $lt: `${retailer}}` } })).not.toBeNull();
});

test('publishes no created event for a change made after the watermark has passed the receipt', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const [id] = (await harness.post(retailer, [{}])) as [string];
  await until(
    'the watermark follows',
    async () => (await watermarks().findOne({ _id: retailer }))?.upTo === 1,
  );
  await assign(retailer, id, 'jane');
  await harness.flushEvents();
  expect(published(id).filter(({ type }) => type === 'receipt.created')).toHaveLength(1);
});

/** The cost of a single request, without concurrent sweeps of the receipts. */
async function leastCommands(request: () => Promise<unknown>): Promise<readonly string[]> {
  let least: readonly string[] | undefined;
  for (let n = 0; n < 5; n++) {
    await harness.flushEvents();
    const commands = harness.commands();
    await request();
    const names = commands();
    if (!least || names.length < least.length) least = names;
  }
  return least ?? [];
}

test('costs one command and one commit before the response for a single receipt, even with a key', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  await harness.post(retailer, [{}]);
  const post = (change: { idempotencyKey?: string }) =>
    harness.fake.call(contracts.createReceipt, { body: postedReceipt() }, callOf(retailer, change));
  expect(await leastCommands(() => post({}))).toEqual(['insert']);
  expect(await leastCommands(() => post({ idempotencyKey: newId() }))).toEqual(['insert']);
});

test("costs one more read for a retailer's first receipt in a process", async () => {
  const post = () => {
    const retailer = harness.retailer((id) => retailerOf(id));
    return harness.fake.call(contracts.createReceipt, { body: postedReceipt() }, callOf(retailer));
  };
  expect(await leastCommands(post)).toEqual(['find', 'insert']);
});

test('costs a change no more commands if the events of the receipt are not published', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  await harness.post(retailer, [{}]);
  const costs = (isAway: boolean) =>
    leastCommands(async () => {
      harness.fake.isAway = isAway;
      const [id] = (await harness.post(retailer, [{}])) as [string];
      await harness.flushEvents();
      await assign(retailer, id, 'jane');
    });
  expect(await costs(true)).toEqual(['insert', 'find', 'update']);
  expect(await costs(false)).toEqual(['insert', 'find', 'update']);
});
