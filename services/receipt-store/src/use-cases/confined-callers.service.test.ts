import { receiptStoreContracts as contracts } from '@receipts/contracts';
import { newId, ServiceError, type Call, type Contract } from '@receipts/kernel';
import { Harness } from '../testing/harness';
import { callOf, postedReceipt, retailerOf, storeOf } from '../testing/samples';

let harness: Harness;
let retailer: string;
let ids: Readonly<Record<'mine' | 'theirs', string>>;
let giftIds: Readonly<Record<'mine' | 'theirs', string>>;
beforeAll(async () => {
  harness = await Harness.start();
});
afterAll(() => harness.stop());
beforeEach(async () => {
  retailer = harness.retailer((id) => retailerOf(id));
  const posted = (store: string) => ({
    store_reference: store,
    transaction_id: store,
    identifier: store,
    localtime: '2024-05-17T14:03:22',
    till_uuid: store,
    till_sequence: 1,
    // It does not add up, so that lists of failed checks contain it.
    items: [{ name: `marked ${store}`, quantity: 1, total: 10 }],
    total: 11,
  });
  const [mine = '', theirs = ''] = await harness.post(retailer, [posted('mine'), posted('theirs')]);
  ids = { mine, theirs };
  giftIds = { mine: await giftOf(mine), theirs: await giftOf(theirs) };
});

type Place = keyof typeof ids;

async function giftOf(id: string): Promise<string> {
  const { body } = await harness.fake.call(
    contracts.createGiftReceipt,
    { params: { id }, body: {} },
    callOf(retailer),
  );
  return (body as { gift_id: string }).gift_id;
}

const range = { from: Date.parse('2024-05-01'), to: Date.parse('2024-06-01') };
const day = { from: '2024-05-17', to: '2024-05-17', group_by: ['day', 'store'] };
const byId = (place: Place) => ({ params: { id: ids[place] }, query: {}, headers: {} });
const page = { count: 20 };

/** A new receipt of a store and a consumer. */
const receiptOf = (place: Place) =>
  postedReceipt({ store_reference: place, identifier: place, transaction_id: newId() });

/** For each contract, an input that asks for the receipts of one store, all of which belong to one consumer. */
const inputs: Readonly<Record<string, (place: Place) => object>> = {
  createReceipt: (place) => ({ body: receiptOf(place) }),
  createReceipts: (place) => ({
    body: Buffer.from(JSON.stringify(receiptOf(place))),
    contentType: 'application/x-ndjson',
  }),
  allotLinks: (place) => ({ body: { store_reference: place } }),
  getReceipt: byId,
  getReturnable: byId,
  getGiftReturnable: (place) => ({ query: { gift_id: giftIds[place] } }),
  createGiftReceipt: byId,
  getReceiptHistory: byId,
  addReceiptNote: (place) => ({ ...byId(place), body: { text: 'a note' } }),
  listReceipts: (place) => ({ query: { ...page, store_reference: [place] } }),
  listReceiptsV1: (place) => ({ query: { ...page, store_reference: [place] } }),
  searchReceipts: (place) => ({ query: { ...page, offset: 0, query: `items.name:${place}` } }),
  countReceipts: (place) => ({ body: { query: `items.name:${place}`, since: '2024-01-01T00:00:00Z' } }),
  listReceiptRows: (place) => ({
    body: { queries: [`+items.name:${place}`], sort: 'sold', direction: 'older', count: 20 },
  }),
  getTotals: (place) => ({ query: { ...day, store_reference: [place] } }),
  getGaps: (place) => ({ query: { ...day, store_reference: [place] } }),
  getTills: (place) => ({ query: { store_reference: [place] } }),
  exportTotals: (place) => ({ query: { ...day, store_reference: [place] } }),
  exportReceipts: (place) => ({
    query: { ...range, store_reference: [place], format: 'csv' },
    headers: { accept: 'text/csv' },
  }),
  patchReceipt: (place) => ({
    ...byId(place),
    body: [{ op: 'add', path: '/properties/a', value: 1 }],
    contentType: 'application/json-patch+json',
  }),
  assignReceipt: (place) => ({ query: {}, body: { id: ids[place], identifier: place } }),
  voidReceipt: byId,
  deleteReceipt: byId,
};

async function answerTo(name: string, input: object, change: Partial<Call>): Promise<string> {
  const contract = contracts[name as keyof typeof contracts] as unknown as Contract;
  try {
    const { body = {} } = await harness.fake.call(contract, input as never, callOf(retailer, change));
    return Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body);
  } catch (error) {
    if (error instanceof ServiceError) return `${error.status}`;
    throw error;
  }
}

/** An answer without receipts: an error, an empty list, or a file with only a header and a cursor. */
const nothing =
  /^(403|404|422)$|"accepted":0,|"hits":0|"receipts":\[\]|"totals":\[\]|"tills":\[\]|^\[\]$|^[^\n]*\r\n(#cursor,[^\n]*\r\n)?$/;

const stored = (id: string) => harness.get(retailer, id);

/** The contracts that restrict their callers to stores, and those that restrict them to consumers. */
const confined = Object.entries(contracts as Record<string, Contract>).flatMap(
  ([name, { forStores, forConsumers }]) => [
    ...(forStores === 'confined' ? [[name, 'stores'] as const] : []),
    ...(forConsumers === 'confined' ? [[name, 'consumers'] as const] : []),
  ],
);

test('tries only contracts that restrict their callers', () => {
  expect(Object.keys(inputs).sort()).toEqual([...new Set(confined.map(([name]) => name))].sort());
});

test.each(confined)('%s treats the receipts of other %s as missing', async (name, what) => {
  const inputOf = inputs[name] as (place: Place) => object;
  const everything = await answerTo(name, inputOf('theirs'), { [what]: ['mine', 'theirs'] });
  const answer = await answerTo(name, inputOf('theirs'), { [what]: ['mine'] });
  expect(everything).not.toMatch(nothing);
  expect(answer).toMatch(nothing);
  expect(answer).not.toContain('marked theirs');
  expect(await answerTo(name, inputOf('mine'), { [what]: ['mine'] })).not.toMatch(nothing);
});

test.each(['patchReceipt', 'assignReceipt', 'voidReceipt', 'createGiftReceipt', 'deleteReceipt'])(
  '%s does not change the receipts of other stores',
  async (name) => {
    const before = await stored(ids.theirs);
    expect(await answerTo(name, inputs[name]?.('theirs') ?? {}, { stores: ['mine'] })).toMatch(/^(404|422)$/);
    expect(await stored(ids.theirs)).toEqual(before);
  },
);

test.each([
  'listReceipts',
  'searchReceipts',
  'listReceiptRows',
  'getTotals',
  'getGaps',
  'getTills',
  'exportTotals',
  'exportReceipts',
])('%s without a store finds the receipts of all stores of the caller alone', async (name) => {
  const everywhere = JSON.parse(
    JSON.stringify(inputs[name]?.('mine') ?? {}).replace('items.name:mine', 'items.name:marked'),
  ) as { query?: Record<string, unknown> };
  delete everywhere.query?.['store_reference'];
  const answer = await answerTo(name, everywhere, { stores: ['mine'] });
  expect(answer).toContain('mine');
  expect(answer).not.toContain('theirs');
  expect(await answerTo(name, everywhere, {})).toContain('theirs');
});

test('lets callers who are restricted to stores post no receipt of another store, and no store', async () => {
  const before = await harness.post(retailer, [{ store_reference: 'theirs' }]);
  const post = (change: object) =>
    answerTo('createReceipt', { body: { ...receiptOf('mine'), ...change } }, { stores: ['mine'] });
  expect(await post({})).toContain('"id"');
  for (const store_reference of ['theirs', 'nowhere', 77])
    expect(await post({ store_reference })).toBe('422');
  expect(await post({ store: { name: 'New', country: 'FRA' } })).toBe('422');
  const query = { ...page, store_reference: ['theirs'] };
  const found = JSON.parse(await answerTo('listReceipts', { query }, {})) as { receipts: unknown[] };
  expect(found.receipts).toHaveLength(1 + before.length);
});

test('accepts the id of a receipt of another store as a cursor only from callers who may see it', async () => {
  const query = { ...page, older: ids.theirs };
  expect(await answerTo('listReceiptsV1', { query }, { stores: ['mine'] })).toBe('400');
  expect(await answerTo('listReceiptsV1', { query }, {})).toContain('mine');
});

test('finds the receipts of a store by either of its names, also those that arrived before it was known', async () => {
  const [early = ''] = await harness.post(retailer, [{ store_reference: 'opera' }]);
  const store = storeOf(retailer);
  harness.stores.push(store);
  await harness.fake.deliver({ type: 'store.created', data: store });
  const [late = ''] = await harness.post(retailer, [{ store_reference: 1 }]);
  for (const stores of [['1'], ['opera']]) {
    for (const id of [early, late]) {
      expect(await answerTo('getReceipt', { params: { id }, query: {} }, { stores })).toContain(id);
    }
  }
});

test('names the buyer of an invoice, although no store has consumers of its own', async () => {
  const store = storeOf(retailer, { external_reference: 'opera', vatno: 'FR40303265045' });
  harness.stores.push(store);
  await harness.fake.deliver({ type: 'store.created', data: store });
  const properties = { name: { first: 'Jane', last: 'Doe' }, address: ['1 rue du Bac'], city: 'Paris' };
  harness.fake.answers.set('identifier.get-identifier', () => ({ identifier: 'jane', properties }));
  const taxes = [{ name: 'vat', rate: 20, amount: 2 }];
  const items = [{ name: 'Coffee', quantity: 1, total: 12, taxes }];
  const sale = { store_reference: 'opera', identifier: 'jane', items, taxes, total: 12 };
  const [id = ''] = await harness.post(retailer, [sale]);
  const input = { params: { id }, query: { format: 'ubl' } };
  expect(await answerTo('getReceipt', input, { stores: ['opera'] })).toContain('>Jane Doe<');
});
