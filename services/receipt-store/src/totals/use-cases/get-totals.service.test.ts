import { receiptStoreContracts as contracts, type PostedReceipt } from '@receipts/contracts';
import { newId } from '@receipts/kernel';
import { BSON, type CommandStartedEvent, type CommandSucceededEvent } from 'mongodb';
import { Harness, refusal } from '../../testing/harness';
import { callOf, retailerOf, storeOf } from '../../testing/samples';

const { deleteReceipt, exportTotals, getTotals, patchReceipt } = contracts;

let harness: Harness;
beforeAll(async () => {
  harness = await Harness.start();
});
afterAll(() => harness.stop());

const day = { from: '2024-05-17', to: '2024-05-17' };

const inputOf = (query: object) => ({ query: { group_by: ['day', 'store'], ...day, ...query } }) as never;

async function printed(retailer: string, query: object = {}): Promise<string> {
  return String((await harness.fake.call(getTotals, inputOf(query), callOf(retailer))).body);
}

async function totals(retailer: string, query: object = {}): Promise<Record<string, unknown>[]> {
  return (JSON.parse(await printed(retailer, query)) as { totals: Record<string, unknown>[] }).totals;
}

async function csv(retailer: string, query: object = {}): Promise<string> {
  return String((await harness.fake.call(exportTotals, inputOf(query), callOf(retailer))).body);
}

const newRetailer = (settings = {}) => harness.retailer((id) => retailerOf(id, settings));

const receipt: Partial<PostedReceipt> = {
  total: 0.3,
  net: 0.2,
  items: [
    { name: 'a', quantity: 1, total: 0.5, discounts: [{ name: 'x', amount: -0.1 }] },
    { name: 'b', quantity: -1, total: -0.2 },
    { name: 'c', quantity: 1, total: -0.1, return: { localtime: '2024-05-17T10:00:00' } },
  ],
  discounts: [{ name: 'y', amount: 0.25 }],
  charges: [
    { name: 'service', amount: 0.1 },
    { name: 'delivery', amount: 0.1 },
  ],
  taxes: [
    { name: 'vat', rate: 20, amount: 0.1 },
    { name: 'vat', amount: 0.01 },
    { name: 'eco', rate: 5.5, amount: 0.02 },
  ],
  payments: [
    { method: 'cash', amount: 1, change: 0.8, tip: 0.1 },
    { method: 'cash', amount: 0.3, details: { change: 0.2 } },
    { method: 'card', amount: 1e-7 },
    { method: 'cash', amount: 20, currency: 'USD', change: 0.01, tip: 5 },
  ],
};

test('returns each amount as the exact decimal sum of the posted amounts', async () => {
  const retailer = newRetailer();
  await harness.post(retailer, [
    { ...receipt, localtime: '2024-05-17T14:03:22.5' },
    { ...receipt, localtime: '2024-05-17T09:00:00' },
    { ...receipt, duplicate: true },
  ]);
  expect(await totals(retailer)).toEqual([
    {
      day: '2024-05-17',
      store_reference: '1',
      currency: 'EUR',
      receipts: 2,
      items: 6,
      total: 0.6,
      net: 0.4,
      discounts: 0.3,
      charges: 0.4,
      tips: 0.2,
      returns: { items: 4, total: -0.6 },
      voids: { receipts: 0, total: 0 },
      taxes: [
        { name: 'eco', rate: 5.5, amount: 0.04 },
        { name: 'vat', rate: 20, amount: 0.2 },
        { name: 'vat', rate: null, amount: 0.02 },
      ],
      payments: [
        { method: 'card', currency: 'EUR', count: 2, amount: 0.0000002 },
        { method: 'cash', currency: 'EUR', count: 4, amount: 0.6 },
        { method: 'cash', currency: 'USD', count: 2, amount: 39.98 },
      ],
      first_localtime: '2024-05-17T09:00:00+02:00',
      last_localtime: '2024-05-17T14:03:22.5+02:00',
    },
  ]);
});

test('prints numbers with all their digits', async () => {
  const retailer = newRetailer();
  const total = Number.MAX_SAFE_INTEGER;
  await harness.post(retailer, [{ total }, { total }, { total: 1e-9 }]);
  expect(await printed(retailer)).toContain('"total":18014398509481982.000000001,');
  expect(await csv(retailer)).toContain(',3,3,18014398509481982.000000001,,');
});

test('sorts groups in the given order, as text, with null last, and each currency separately', async () => {
  const retailer = newRetailer();
  const at = (localtime: string, store: number, till?: string, currency = 'EUR') => ({
    localtime,
    store_reference: store,
    ...(till !== undefined && { till_uuid: till }),
    l10n: { currency },
  });
  await harness.post(retailer, [
    at('2024-05-17T10:00:00', 9),
    at('2024-05-17T10:00:00', 10, 'b'),
    at('2024-05-16T10:00:00', 10, 'a'),
    at('2024-05-17T10:00:00', 10, 'b', 'CHF'),
  ]);
  const range = { from: '2024-05-16', to: '2024-05-17' };
  const keys = async (...groupBy: string[]) =>
    (await totals(retailer, { ...range, group_by: groupBy })).map((row) =>
      [row['day'], row['store_reference'], row['till_uuid'], row['currency'], row['receipts']]
        .filter((value) => value !== undefined)
        .join(' '),
    );
  expect(await keys('day', 'store')).toEqual([
    '2024-05-16 10 EUR 1',
    '2024-05-17 10 CHF 1',
    '2024-05-17 10 EUR 1',
    '2024-05-17 9 EUR 1',
  ]);
  expect(await keys('till')).toEqual(['a EUR 1', 'b CHF 1', 'b EUR 1', ' EUR 1']);
  expect(await keys('currency')).toEqual(['CHF 1', 'EUR 3']);
  expect(await keys('currency', 'day')).toEqual(['2024-05-17 CHF 1', '2024-05-16 EUR 1', '2024-05-17 EUR 2']);
});

test('finds stores by all their references, and tills by their ids', async () => {
  const retailer = newRetailer();
  harness.stores.push(storeOf(retailer, { reference: 1, external_reference: 'opera' }));
  await harness.post(retailer, [
    { store_reference: 1, till_uuid: 'a' },
    { store_reference: 'opera', till_uuid: 'b' },
    { store_reference: 2 },
  ]);
  const counted = async (query: object) =>
    (await totals(retailer, { group_by: ['currency'], ...query })).map((row) => row['receipts']);
  expect(await counted({})).toEqual([3]);
  expect(await counted({ store_reference: ['opera'] })).toEqual([2]);
  expect(await counted({ store_reference: ['2', '1'] })).toEqual([3]);
  expect(await counted({ store_reference: ['3'] })).toEqual([]);
  expect(await counted({ till_uuid: ['a', 'b'] })).toEqual([2]);
  expect(await counted({ till_uuid: ['b'], store_reference: ['1'] })).toEqual([1]);
});

test('immediately reflects a patched return and a deletion, even in the first and last times', async () => {
  const retailer = newRetailer();
  const [first, middle, last] = (await harness.post(retailer, [
    { localtime: '2024-05-17T09:00:00' },
    { localtime: '2024-05-17T10:00:00' },
    { localtime: '2024-05-17T11:00:00' },
  ])) as [string, string, string];
  const row = async () => (await totals(retailer))[0];
  expect(await row()).toMatchObject({ receipts: 3, returns: { items: 0, total: 0 } });
  const patch = [{ op: 'add', path: '/items/0/return', value: { localtime: '2024-05-18T10:00:00' } }];
  const input = {
    params: { id: middle },
    headers: {},
    body: patch,
    contentType: 'application/json-patch+json',
  };
  await harness.fake.call(patchReceipt, input as never, callOf(retailer));
  expect(await row()).toMatchObject({ receipts: 3, returns: { items: 1, total: 10 } });
  await harness.fake.call(deleteReceipt, { params: { id: first } }, callOf(retailer));
  expect(await row()).toMatchObject({
    receipts: 2,
    total: 20,
    first_localtime: '2024-05-17T10:00:00+02:00',
    last_localtime: '2024-05-17T11:00:00+02:00',
  });
  for (const id of [middle, last])
    await harness.fake.call(deleteReceipt, { params: { id } }, callOf(retailer));
  expect(await totals(retailer)).toEqual([]);
});

test('writes CSV with columns for the groups, fixed columns, and one column for each tax and payment method', async () => {
  const retailer = newRetailer();
  await harness.post(retailer, [
    {
      ...receipt,
      till_uuid: '=1+1',
      payments: [
        { method: 'a,"b;=1', amount: 1 },
        { method: 'cash', amount: 2, currency: 'USD' },
      ],
    },
    { localtime: '2024-05-17T15:00:00', till_uuid: 'x' },
  ]);
  expect(await csv(retailer, { group_by: ['till', 'day'] })).toBe(
    [
      'till_uuid,day,currency,receipts,items,total,net,discounts,returns_items,returns_total,voids_receipts,voids_total,' +
        'first_localtime,last_localtime,charges,"payment:a,""b;\'=1",payment:cash:USD,tax:eco:5.5,tax:vat:,tax:vat:20',
      "'=1+1,2024-05-17,EUR,1,3,0.3,0.2,0.15,2,-0.3,0,0,2024-05-17T14:03:22+02:00,2024-05-17T14:03:22+02:00,0.2,1,2,0.02,0.01,0.1",
      'x,2024-05-17,EUR,1,1,10,,0,0,0,0,0,2024-05-17T15:00:00+02:00,2024-05-17T15:00:00+02:00,,,,,,',
      '',
    ].join('\r\n'),
  );
});

test('uses today in the retailer’s time zone as the default range, and rejects inverted and overlong ranges', async () => {
  const retailer = newRetailer({ timezone: 'Pacific/Kiritimati' });
  const today = new Date(Date.now() + 14 * 3_600_000).toISOString().slice(0, 10);
  await harness.post(retailer, [{ localtime: `${today}T00:30:00` }, { localtime: '2024-02-29T12:00:00' }]);
  const none = { from: undefined, to: undefined };
  expect((await totals(retailer, none)).map((row) => row['day'])).toEqual([today]);
  expect(await totals(retailer, { from: '2024-02-29', to: '2025-02-28' })).toHaveLength(1);
  const refused = (query: object) => refusal(harness.fake.call(getTotals, inputOf(query), callOf(retailer)));
  const error = { status: 400, code: 'invalid_parameter' };
  expect(await refused({ from: '2024-02-29', to: '2025-03-01' })).toMatchObject(error);
  expect(await refused({ from: '2024-03-01', to: '2024-02-29' })).toMatchObject(error);
  expect(await refused({ ...none, to: '2024-03-01' })).toMatchObject(error);
  expect(await refused({ from: '2024-02-30', to: '2024-03-01' })).toMatchObject(error);
  expect(await refused({ from: '2024-02-29', to: 'noon' })).toMatchObject(error);
});

test('adds up each payment method separately, even if BSON does not allow its name as a key', async () => {
  const retailer = newRetailer();
  const payments = ['a', 'a.b', '$a', '__proto__'].map((method) => ({ method, amount: 1 }));
  await harness.post(retailer, [{ payments, transaction_id: newId() }, { payments }]);
  expect((await totals(retailer))[0]?.['payments']).toEqual(
    ['$a', '__proto__', 'a', 'a.b'].map((method) => ({ method, currency: 'EUR', count: 2, amount: 2 })),
  );
});

test('reads as few documents for a day with many receipts as for a day with a single receipt', async () => {
  const [one, many] = [newRetailer(), newRetailer()];
  await harness.post(one, [receipt]);
  await harness.post(
    many,
    Array.from({ length: 400 }, (_, i) => ({ ...receipt, till_uuid: `till-${i % 2}` })),
  );
  expect(await totals(one)).toMatchObject([{ receipts: 1 }]);
  expect(await totals(many)).toMatchObject([{ receipts: 400 }]);
  const [few, most] = [await readsOf(one), await readsOf(many)];
  expect(few.documents).toBeGreaterThan(0);
  expect(most.commands).toBe(few.commands);
  // One bucket per till.
  expect(most.documents).toBe(few.documents + 1);
});

/**
 * The number of documents that a totals query reads. Background work may read as well, so the result is the minimum of
 * several queries.
 */
async function readsOf(retailer: string): Promise<{ commands: number; documents: number }> {
  const { client } = harness.database.db;
  let [commands, documents] = [Infinity, Infinity];
  for (let attempt = 0; attempt < 5; attempt++) {
    const requests = new Set<number>();
    let found = 0;
    const started = ({ requestId, command }: CommandStartedEvent) => {
      if (BSON.EJSON.stringify(command).includes(retailer)) requests.add(requestId);
    };
    const succeeded = ({ requestId, reply }: CommandSucceededEvent) => {
      const { cursor } = reply as { cursor?: { firstBatch: readonly unknown[] } };
      if (requests.has(requestId)) found += cursor?.firstBatch.length ?? 0;
    };
    client.on('commandStarted', started).on('commandSucceeded', succeeded);
    await totals(retailer);
    client.off('commandStarted', started).off('commandSucceeded', succeeded);
    commands = Math.min(commands, requests.size);
    documents = Math.min(documents, found);
  }
  return { commands, documents };
}
