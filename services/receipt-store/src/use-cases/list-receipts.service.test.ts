import { receiptStoreContracts as contracts, type ReturnedReceipt } from '@receipts/contracts';
import { newId, type Call } from '@receipts/kernel';
import { Harness, refusal } from '../testing/harness';
import { callOf, retailerOf, storeOf } from '../testing/samples';

let harness: Harness;
beforeAll(async () => {
  harness = await Harness.start();
});
afterAll(() => harness.stop());

interface Listed {
  readonly _links: Readonly<Record<string, { readonly href: string }>>;
  readonly receipts: readonly ReturnedReceipt[];
}

type Query = Readonly<Record<string, unknown>>;

const list = (retailer: string, query: Query = {}, call: Partial<Call> = {}) =>
  harness.read<Listed>(contracts.listReceipts, { query: { count: 20, ...query } }, callOf(retailer, call));

/** Follows a link, parsing its parameters as the gateway does. */
function follow(retailer: string, link: { readonly href: string } | undefined): Promise<Listed> {
  if (!link) throw new Error('there is no such link');
  const { pathname, searchParams } = new URL(link.href, 'http://base');
  if (pathname !== '/receipts') throw new Error(`the link leads to ${pathname}`);
  const vectors = new Set(['consumer', 'id', 'store_id', 'store_reference', 'transaction_id']);
  const query = Object.fromEntries(
    [...searchParams].map(([name, value]) => {
      if (vectors.has(name)) return [name, value.split(',')];
      return [name, name === 'count' ? Number(value) : value];
    }),
  );
  return list(retailer, query);
}

const names = (page: Listed) => page.receipts.map(({ till_uuid }) => till_uuid);
const linksOf = (page: Listed) => Object.keys(page._links).sort();

/** Posts receipts named 1, 2, 3 … one after another. */
async function arrive(retailer: string, from: number, to: number, change = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let n = from; n <= to; n++) {
    ids.push(...(await harness.post(retailer, [{ till_uuid: String(n), ...change }])));
  }
  return ids;
}

const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, i) => String(from - i));

test('returns latest and newer links for an empty list, and newer finds arriving receipts', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const empty = await list(retailer);
  expect([empty.receipts, linksOf(empty)]).toEqual([[], ['latest', 'newer']]);
  const still = await follow(retailer, empty._links['newer']);
  expect([still.receipts, linksOf(still)]).toEqual([[], ['latest', 'newer']]);
  await arrive(retailer, 1, 2);
  const fresh = await follow(retailer, still._links['newer']);
  expect([names(fresh), linksOf(fresh)]).toEqual([
    ['2', '1'],
    ['latest', 'newer'],
  ]);
});

test('pages back through all receipts with next, and forward again with prev', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  await arrive(retailer, 1, 7);
  const first = await list(retailer, { count: 3 });
  expect([names(first), linksOf(first)]).toEqual([down(7, 5), ['latest', 'newer', 'next']]);
  const second = await follow(retailer, first._links['next']);
  expect([names(second), linksOf(second)]).toEqual([down(4, 2), ['latest', 'next', 'prev']]);
  const third = await follow(retailer, second._links['next']);
  expect([names(third), linksOf(third)]).toEqual([['1'], ['latest', 'prev']]);

  await arrive(retailer, 8, 8);
  const back = await follow(retailer, third._links['prev']);
  expect([names(back), linksOf(back)]).toEqual([down(4, 2), ['latest', 'next', 'prev']]);
  const further = await follow(retailer, back._links['prev']);
  expect([names(further), linksOf(further)]).toEqual([down(7, 5), ['latest', 'next', 'prev']]);
  const newest = await follow(retailer, further._links['prev']);
  expect([names(newest), linksOf(newest)]).toEqual([['8'], ['latest', 'newer', 'next']]);
  expect(names(await follow(retailer, newest._links['next']))).toEqual(down(7, 5));
  const none = await follow(retailer, newest._links['newer']);
  expect([none.receipts, linksOf(none)]).toEqual([[], ['latest', 'newer']]);
});

test('returns the receipts right after the cursor for newer, with prev if there are more', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  await arrive(retailer, 1, 2);
  const first = await list(retailer, { count: 2 });
  await arrive(retailer, 3, 7);
  const one = await follow(retailer, first._links['newer']);
  expect([names(one), linksOf(one)]).toEqual([
    ['4', '3'],
    ['latest', 'newer', 'next', 'prev'],
  ]);
  const two = await follow(retailer, one._links['newer']);
  expect([names(two), linksOf(two)]).toEqual([
    ['6', '5'],
    ['latest', 'newer', 'next', 'prev'],
  ]);
  const three = await follow(retailer, two._links['newer']);
  expect([names(three), linksOf(three)]).toEqual([['7'], ['latest', 'newer', 'next']]);
  const four = await follow(retailer, three._links['newer']);
  expect([names(four), linksOf(four)]).toEqual([[], ['latest', 'newer']]);
});

test('keeps the filters in links, and the list itself in latest', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  await arrive(retailer, 1, 3, { identifier: 'jane & co' });
  await arrive(retailer, 4, 4, { identifier: 'joe' });
  const page = await list(retailer, { consumer: ['jane & co', 'x'], count: 2, pretty: true });
  expect(names(page)).toEqual(['3', '2']);
  expect(page._links['latest']?.href).toBe('/receipts?consumer=jane%20%26%20co,x&count=2&pretty=true');
  expect(names(await follow(retailer, page._links['next']))).toEqual(['1']);
});

test('applies every filter, alone and with others', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const opera = storeOf(retailer, { id: 7, reference: 42, external_reference: 'opera' });
  await arrive(retailer, 1, 1, { store_reference: '0042' });
  await harness.fake.deliver({ type: 'store.created', data: opera });
  const posted = [
    { till_uuid: '2', store_reference: 42, identifier: 'jane', transaction_id: 'a' },
    { till_uuid: '3', store_reference: 'opera', identifier: 'joe', transaction_id: 'b' },
    { till_uuid: '4', store_reference: 'elsewhere', identifier: 'jane', transaction_id: 'c' },
  ];
  const ids = await harness.post(retailer, posted);
  const found = async (query: Query) => names(await list(retailer, query));
  expect(await found({ store_reference: ['42'] })).toEqual(['3', '2', '1']);
  expect(await found({ store_reference: ['opera'] })).toEqual(['3', '2', '1']);
  expect(await found({ store_reference: ['00042', 'elsewhere'] })).toEqual(['4', '3', '2', '1']);
  expect(await found({ store_id: ['7'] })).toEqual(['3', '2']);
  expect(await found({ store_id: ['8'] })).toEqual([]);
  expect(await found({ store_id: ['7'], store_reference: ['elsewhere'] })).toEqual([]);
  expect(await found({ consumer: ['jane'] })).toEqual(['4', '2']);
  expect(await found({ consumer: ['jane', 'joe'] })).toEqual(['4', '3', '2']);
  expect(await found({ consumer: ['jane', 'joe'], store_id: ['7'] })).toEqual(['3', '2']);
  expect(await found({ transaction_id: ['a', 'c', 'z'] })).toEqual(['4', '2']);
  expect(await found({ transaction_id: ['a', 'c'], store_reference: ['42'] })).toEqual(['2']);
  expect(await found({ id: [...ids, newId(), 'odd'] })).toEqual(['4', '3', '2']);
  expect(await found({ id: ids, consumer: ['joe'] })).toEqual(['3']);
});

test('shows a caller restricted to consumers only their receipts, regardless of the request', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const [jane, joe] = (await harness.post(retailer, [
    { till_uuid: '1', identifier: 'jane' },
    { till_uuid: '2', identifier: 'joe' },
  ])) as [string, string];
  const confined = { consumers: ['jane'] };
  expect(names(await list(retailer, {}, confined))).toEqual(['1']);
  expect(names(await list(retailer, { consumer: ['jane', 'joe'] }, confined))).toEqual(['1']);
  expect(names(await list(retailer, { consumer: ['joe'] }, confined))).toEqual([]);
  expect(names(await list(retailer, { id: [jane, joe] }, confined))).toEqual(['1']);
  expect(await refusal(list(retailer, { newer: joe }, confined))).toMatchObject({ code: 'unknown_cursor' });
  expect(names(await list(retailer, { newer: jane }, confined))).toEqual([]);
});

test('does not return another retailer’s receipts', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const other = harness.retailer((id) => retailerOf(id));
  const [id] = (await harness.post(other, [{ identifier: 'jane', transaction_id: 't' }])) as [string];
  for (const query of [{}, { id: [id] }, { consumer: ['jane'] }, { transaction_id: ['t'] }]) {
    expect(names(await list(retailer, query))).toEqual([]);
  }
});

test('rejects an unknown cursor with 400, and two cursors at once', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const other = harness.retailer((id) => retailerOf(id));
  const [foreign] = (await harness.post(other, [{}])) as [string];
  const elsewhere = new URL((await list(other))._links['newer']?.href ?? '', 'http://base').searchParams.get(
    'newer',
  );
  for (const cursor of ['x', newId(), foreign, elsewhere]) {
    for (const name of ['newer', 'next', 'prev']) {
      expect(await refusal(list(retailer, { [name]: cursor }))).toMatchObject({
        status: 400,
        code: 'unknown_cursor',
      });
    }
  }
  expect(await refusal(list(retailer, { newer: 'x', next: 'y' }))).toMatchObject({
    code: 'invalid_parameter',
  });
});

test('rejects a cursor to a receipt that was lost, even when its number is used again', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  await arrive(retailer, 1, 3);
  const before = await list(retailer, { count: 2 });
  await arrive(retailer, 4, 8);
  const after = await list(retailer, { count: 2 });
  // Simulates a loss, as when an older backup is restored, and the start of another process afterwards.
  await harness.database.db.collection('receipts').deleteMany({ retailer, arrival: { $gt: 3 } });
  const mongo = { uri: harness.mongo.uri, stop: () => Promise.resolve() };
  const restarted = await Harness.start({ mongo, database: harness.database.db.databaseName });
  restarted.retailers.push(...harness.retailers);
  const refused = async () => {
    for (const name of ['newer', 'next']) {
      expect(await refusal(follow(retailer, after._links[name]))).toMatchObject({ code: 'unknown_cursor' });
    }
  };
  await refused();
  await restarted.post(
    retailer,
    down(20, 9).map((till_uuid) => ({ till_uuid })),
  );
  await restarted.stop();
  await refused();
  // A cursor from before the loss continues without a gap.
  expect(names(await follow(retailer, before._links['newer']))).toEqual(['19', '20']);
});

test('returns an array that is paged by ids in version 1', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const ids = await arrive(retailer, 1, 5);
  const v1 = async (query: Query = {}) => {
    const input = { query: { count: 2, ...query } } as never;
    const found = await harness.read<ReturnedReceipt[]>(contracts.listReceiptsV1, input, callOf(retailer));
    return found.map(({ till_uuid }) => till_uuid);
  };
  expect(await v1()).toEqual(['5', '4']);
  expect(await v1({ older: ids[3] })).toEqual(['3', '2']);
  expect(await v1({ older: ids[1] })).toEqual(['1']);
  expect(await v1({ older: ids[0] })).toEqual([]);
  expect(await v1({ newer: ids[0] })).toEqual(['3', '2']);
  expect(await v1({ newer: ids[2] })).toEqual(['5', '4']);
  expect(await v1({ newer: ids[4] })).toEqual([]);
  expect(await refusal(v1({ newer: newId() }))).toMatchObject({ code: 'unknown_cursor' });
  expect(await refusal(v1({ newer: ids[0], older: ids[1] }))).toMatchObject({ code: 'invalid_parameter' });
});

test('contains every receipt acknowledged before the request', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  for (let round = 0; round < 20; round++) {
    const writers = Array.from({ length: 4 }, () => harness.post(retailer, [{}, {}]));
    const [ids] = await Promise.all([writers[0], Promise.race(writers)]);
    const page = await list(retailer, { id: ids });
    expect(page.receipts.map(({ id }) => id).sort()).toEqual([...(ids ?? [])].sort());
    await Promise.all(writers);
  }
});
