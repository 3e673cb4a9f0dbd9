import { Collection } from 'mongodb';
import { receiptStoreContracts as contracts, type ReturnedReceipt } from '@receipts/contracts';
import { newId } from '@receipts/kernel';
import { startMongo, testDatabase, until, type Mongo } from '@receipts/testing';
import { Harness } from '../testing/harness';
import { callOf, retailerOf } from '../testing/samples';

let mongo: Mongo;
/** Two processes on one database. */
let processes: readonly [Harness, Harness];
let retailer: string;

beforeAll(async () => {
  mongo = await startMongo();
  const database = testDatabase();
  // Each test process has the same retailers.
  const given = { mongo: { ...mongo, stop: () => Promise.resolve() }, database };
  processes = [await Harness.start(given), await Harness.start(given)];
});
afterAll(async () => {
  await Promise.all(processes.map((one) => one.stop()));
  await mongo.stop();
});
beforeEach(() => {
  const known = retailerOf(processes[0].retailer((id) => retailerOf(id)));
  processes[1].retailers.push(known);
  retailer = known.id;
});

type Change = Parameters<Harness['post']>[1][number];
const post = async (change: Change, at = 0) =>
  ((await processes[at]?.post(retailer, [change])) as string[])[0] as string;
const returning = (...transactions: string[]): Change => ({
  related: transactions.map((transaction_id) => ({ type: 'return', transaction_id })),
});
const relatedOf = async (id: string) => (await processes[0].get(retailer, id)).related;
const idsIn = async (id: string) => (await relatedOf(id)).map((one) => one.id);
const found = async (query: string) => {
  const input = { query: { query, count: 20, offset: 0 } } as never;
  const answer = await processes[0].read<{ receipts: ReturnedReceipt[] }>(
    contracts.searchReceipts,
    input,
    callOf(retailer),
  );
  return answer.receipts.map(({ id }) => id);
};

test('shows the id of the sale in every list, search and event once the sale is acknowledged', async () => {
  const transaction_id = newId();
  const first = await post(returning(transaction_id));
  expect([await found('related.id:*'), await idsIn(first)]).toEqual([[], [null]]);
  const sale = await post({ transaction_id });
  const receipt = await processes[0].get(retailer, first);
  expect(receipt.related).toEqual([{ type: 'return', id: sale, transaction_id }]);
  const listed = await processes[0].read<ReturnedReceipt[]>(
    contracts.listReceiptsV1,
    { query: { id: [first], count: 1 } } as never,
    callOf(retailer),
  );
  expect(listed).toEqual([receipt]);
  expect([await found(`related.id:${sale}`), await found('related.id:*')]).toEqual([[first], [first]]);
  await processes[0].flushEvents();
  const events = processes[0].fake.published.filter(({ subject }) => subject === first);
  expect(events.map(({ type, sequence }) => [type, sequence])).toEqual([
    ['receipt.created', 1],
    ['receipt.updated', 2],
  ]);
  expect(events[1]?.data).toMatchObject({ receipt });
});

test('links one receipt that waits for several, and several that wait for one', async () => {
  const [a, b, c] = [newId(), newId(), newId()];
  const first = await post(returning(a, b, c));
  const second = await post(returning(b));
  const ofB = await post({ transaction_id: b });
  expect([await idsIn(first), await idsIn(second)]).toEqual([[null, ofB, null], [ofB]]);
  const [ofA] = (await processes[1].post(retailer, [{ transaction_id: a }, {}])) as [string];
  expect(await idsIn(first)).toEqual([ofA, ofB, null]);
  expect((await processes[0].get(retailer, second)).related).toHaveLength(1);
});

test('links receipts of one batch in either order, even a receipt with itself', async () => {
  const [before, after, own] = [newId(), newId(), newId()];
  const [saleBefore, ofBefore, ofAfter, saleAfter, itself] = (await processes[0].post(retailer, [
    { transaction_id: before },
    returning(before),
    returning(after),
    { transaction_id: after },
    { transaction_id: own, ...returning(own) },
  ])) as [string, string, string, string, string];
  expect(await Promise.all([ofBefore, ofAfter, itself].map(idsIn))).toEqual([
    [saleBefore],
    [saleAfter],
    [itself],
  ]);
});

test('publishes each event of a receipt once if the receipt is linked while its batch is stored', async () => {
  const transaction_id = newId();
  const [first] = (await processes[0].post(retailer, [returning(transaction_id), { transaction_id }])) as [
    string,
  ];
  await processes[0].flushEvents();
  const { published, figures } = processes[0].fake;
  const events = [...published, ...figures].filter(({ subject }) => subject === first);
  expect(events.map(({ type, sequence }) => `${type} ${sequence}`).sort()).toEqual([
    'receipt.created 1',
    'receipt.recorded 1',
    'receipt.revised 2',
    'receipt.updated 2',
  ]);
});

test('publishes the first events of a receipt once if a change follows at once', async () => {
  const transactions = Array.from({ length: 20 }, () => newId());
  const firsts = await Promise.all(transactions.map((one) => post(returning(one))));
  await Promise.all(transactions.map((transaction_id) => post({ transaction_id })));
  await processes[0].flushEvents();
  const created = processes[0].fake.published.filter(({ type }) => type === 'receipt.created');
  for (const first of firsts) expect(created.filter(({ subject }) => subject === first)).toHaveLength(1);
});

test('links, and publishes later, receipts whose linking has failed', async () => {
  const [other] = processes;
  const transaction_id = newId();
  const first = await post(returning(transaction_id));
  await other.fake.deliver({
    type: 'retailer.updated',
    data: other.retailers.find(({ id }) => id === retailer),
  });
  const { find } = Collection.prototype;
  let isFailing = true;
  const spy = jest.spyOn(Collection.prototype, 'find').mockImplementation(function (
    this: Collection,
    ...query: readonly unknown[]
  ) {
    if (isFailing && JSON.stringify(query[0]).includes(`w:${transaction_id}`)) throw new Error('not now');
    return Reflect.apply(find, this, query) as ReturnType<typeof find>;
  });
  const sale = await post({ transaction_id });
  const isCreated = () =>
    other.fake.published.some(({ subject, type }) => subject === sale && type === 'receipt.created');
  await other.flushEvents();
  expect([await idsIn(first), isCreated()]).toEqual([[null], false]);
  isFailing = false;
  await until('the sale is published', isCreated);
  expect(await idsIn(first)).toEqual([sale]);
  spy.mockRestore();
});

test('ignores a duplicate of the sale and the sale of another retailer', async () => {
  const transaction_id = newId();
  const first = await post(returning(transaction_id));
  await post({ transaction_id, duplicate: true });
  const other = processes[0].retailer((id) => retailerOf(id));
  await processes[0].post(other, [returning(newId()), { transaction_id }]);
  expect(await idsIn(first)).toEqual([null]);
  const sale = await post({ transaction_id });
  expect(await idsIn(first)).toEqual([sale]);
});

test('skips a deleted waiting receipt, and keeps the id of a deleted sale in the others', async () => {
  const transaction_id = newId();
  const [gone, kept] = [await post(returning(transaction_id)), await post(returning(transaction_id))];
  const remove = (id: string) =>
    processes[0].fake.call(
      contracts.deleteReceipt,
      { params: { id }, headers: {} } as never,
      callOf(retailer),
    );
  await remove(gone);
  const sale = await post({ transaction_id });
  expect(await idsIn(kept)).toEqual([sale]);
  await remove(sale);
  expect(await idsIn(kept)).toEqual([sale]);
  expect(await idsIn(await post(returning(transaction_id)))).toEqual([sale]);
});

test('keeps changes that are made in between', async () => {
  const transaction_id = newId();
  const first = await post(returning(transaction_id));
  const patch = [{ op: 'add', path: '/properties/note', value: 'a' }];
  const input = {
    params: { id: first },
    headers: {},
    body: patch,
    contentType: 'application/json-patch+json',
  };
  await processes[0].fake.call(contracts.patchReceipt, input as never, callOf(retailer));
  const sale = await post({ transaction_id }, 1);
  const { related, properties } = await processes[0].get(retailer, first);
  expect([related[0]?.id, properties]).toEqual([sale, { note: 'a' }]);
});

test('links a sale and its return that two processes store at the same moment', async () => {
  const atOnce = 10;
  for (let round = 0; round < 20; round++) {
    const pairs = await Promise.all(
      Array.from({ length: atOnce }, async (_, n) => {
        const transaction_id = newId();
        const [first, sale] = await Promise.all([
          post(returning(transaction_id), n % 2),
          post({ transaction_id }, (n + 1) % 2),
        ]);
        return { first, sale };
      }),
    );
    // If creating the links would delay the response too long, they are created after it has been sent.
    for (const { first, sale } of pairs)
      await until('the sale is linked', async () => (await idsIn(first))[0] === sale);
  }
});

test('reads the sales for all returns of a batch together', async () => {
  const sales = Array.from({ length: 20 }, () => newId());
  await processes[0].post(
    retailer,
    sales.map((transaction_id) => ({ transaction_id })),
  );
  await processes[0].flushEvents();
  const commands = processes[0].commands();
  await processes[0].post(
    retailer,
    sales.map((transaction_id) => returning(transaction_id)),
  );
  // Background work may also read.
  expect(commands().filter((name) => name === 'find').length).toBeLessThan(sales.length / 2);
});
