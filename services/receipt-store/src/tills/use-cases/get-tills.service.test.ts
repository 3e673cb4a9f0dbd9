import { localDate, receiptStoreContracts as contracts } from '@receipts/contracts';
import { timestampOf, type Call } from '@receipts/kernel';
import { Harness } from '../../testing/harness';
import { callOf, retailerOf, storeOf } from '../../testing/samples';

const hourMs = 60 * 60_000;
let harness: Harness;
beforeAll(async () => {
  harness = await Harness.start();
});
afterEach(() => harness.contacts.splice(0));
afterAll(() => harness.stop());

const newRetailer = (settings = {}) => harness.retailer((id) => retailerOf(id, settings));
const now = () => new Date(Date.now() + harness.clock.aheadMs);

async function tillsOf(retailer: string, query: object = {}, call: Partial<Call> = {}) {
  const { body } = await harness.fake.call(contracts.getTills, { query } as never, callOf(retailer, call));
  return (body as { tills: Record<string, unknown>[] }).tills;
}

const localtime = (day: string) => `${day}T10:00:00`;
const agent = { version: '1.2.3', waiting: 4, clock_difference_s: -2.5 };

test('lists each till with its latest times, whatever the order of its receipts', async () => {
  const retailer = newRetailer();
  const today = localDate(now(), 'Europe/Paris');
  await harness.post(retailer, [
    { till_uuid: 'b', localtime: localtime(today) },
    { till_uuid: 'b', localtime: localtime('2024-05-17') },
    { till_uuid: 'b', localtime: localtime(today), duplicate: true },
    { till_uuid: 'a', localtime: localtime('2024-05-17'), store_reference: 2 },
    { localtime: localtime('2024-05-18') },
  ]);
  const none = { failed_packets_today: 0, waiting: null, agent_version: null, clock_difference_s: null };
  const rows = await tillsOf(retailer);
  expect(rows).toEqual([
    {
      store_reference: '1',
      till_uuid: 'b',
      last_received: expect.any(String),
      receipts_today: 1,
      ...none,
      last_localtime: expect.stringMatching(`^${today}T10:00:00`),
    },
    {
      store_reference: '1',
      till_uuid: null,
      last_received: expect.any(String),
      receipts_today: 0,
      ...none,
      last_localtime: '2024-05-18T10:00:00+02:00',
    },
    {
      store_reference: '2',
      till_uuid: 'a',
      last_received: expect.any(String),
      receipts_today: 0,
      ...none,
      last_localtime: '2024-05-17T10:00:00+02:00',
    },
  ]);
  for (const { last_received: at } of rows) {
    expect(Math.abs(Date.parse(String(at)) - now().getTime())).toBeLessThan(60_000);
  }
});

test('knows a till that has only sent duplicates', async () => {
  const retailer = newRetailer();
  await harness.post(retailer, [{ till_uuid: 'copies', duplicate: true }]);
  expect(await tillsOf(retailer)).toMatchObject([
    { till_uuid: 'copies', last_localtime: null, receipts_today: 0, last_received: expect.any(String) },
  ]);
});

test('takes the day of the store, then that of the retailer', async () => {
  const [east, west] = ['Pacific/Kiritimati', 'Etc/GMT+12'];
  const retailer = newRetailer({ timezone: west });
  harness.stores.push(storeOf(retailer, { timezone: east }));
  const days = { 1: localDate(now(), east), 2: localDate(now(), west) };
  expect(days[1]).not.toBe(days[2]);
  await harness.post(
    retailer,
    ([1, 2] as const).flatMap((store) =>
      ([1, 2] as const).map((day) => ({
        store_reference: store,
        till_uuid: 't',
        localtime: localtime(days[day]),
      })),
    ),
  );
  expect((await tillsOf(retailer)).map((row) => row['receipts_today'])).toEqual([1, 1]);
  const yesterday = timestampOf(new Date(now().getTime() - 25 * hourMs));
  for (const store of ['1', '2']) {
    harness.contacts.push({
      store_reference: store,
      till_uuid: 't',
      last_received: yesterday,
      agent: null,
      failed: [yesterday, timestampOf(now())],
    });
  }
  expect((await tillsOf(retailer)).map((row) => row['failed_packets_today'])).toEqual([1, 1]);
});

test('adds till agents and failures, also of tills without receipts', async () => {
  const retailer = newRetailer();
  await harness.post(retailer, [{ till_uuid: 'known' }, { till_uuid: 'by id', store_reference: 2 }]);
  const last = timestampOf(new Date(now().getTime() + hourMs));
  const contact = { last_received: last, failed: [] };
  harness.contacts.push(
    { ...contact, store_reference: '1', till_uuid: 'known', agent },
    { ...contact, store_reference: null, till_uuid: 'by id', agent },
    { ...contact, store_reference: '1', till_uuid: 'failing', agent: null, failed: [timestampOf(now())] },
    { ...contact, store_reference: '1', till_uuid: 'new', agent },
    { ...contact, store_reference: '1', till_uuid: 'gone', agent: null },
    { ...contact, store_reference: null, till_uuid: 'unknown', agent },
  );
  const withAgent = { last_received: last, waiting: 4, agent_version: '1.2.3', clock_difference_s: -2.5 };
  expect(await tillsOf(retailer)).toMatchObject([
    { till_uuid: 'failing', failed_packets_today: 1, agent_version: null, last_localtime: null },
    { till_uuid: 'known', ...withAgent },
    { till_uuid: 'new', ...withAgent, last_localtime: null },
    { till_uuid: 'by id', ...withAgent },
  ]);
});

test('does not show a caller of one store what may be about a till of another store', async () => {
  const retailer = newRetailer();
  harness.stores.push(storeOf(retailer));
  await harness.post(retailer, [
    { till_uuid: 'a', store_reference: 1 },
    { till_uuid: 'a', store_reference: 'other' },
  ]);
  harness.contacts.push({
    store_reference: null,
    till_uuid: 'a',
    last_received: timestampOf(now()),
    agent,
    failed: [timestampOf(now())],
  });
  const nothing = { till_uuid: 'a', agent_version: null, failed_packets_today: 0 };
  expect(await tillsOf(retailer)).toMatchObject([nothing, nothing]);
  expect(await tillsOf(retailer, {}, { stores: ['1'] })).toMatchObject([nothing]);
  expect(await tillsOf(retailer, { store_reference: ['1'] })).toMatchObject([nothing]);
});

test('selects stores and tills, within what the caller may see', async () => {
  const retailer = newRetailer();
  harness.stores.push(storeOf(retailer));
  await harness.post(retailer, [
    { till_uuid: 'a', store_reference: 1 },
    { till_uuid: 'b', store_reference: 1 },
    { till_uuid: 'a', store_reference: 'other' },
  ]);
  harness.contacts.push({
    store_reference: 'other',
    till_uuid: 'n',
    last_received: timestampOf(now()),
    agent,
    failed: [],
  });
  const found = async (query: object, call?: Partial<Call>) =>
    (await tillsOf(retailer, query, call)).map(
      (row) => `${String(row['store_reference'])}/${String(row['till_uuid'])}`,
    );
  expect(await found({})).toEqual(['1/a', '1/b', 'other/a', 'other/n']);
  expect(await found({ store_reference: ['opera'] })).toEqual(['1/a', '1/b']);
  expect(await found({ till_uuid: ['a'] })).toEqual(['1/a', 'other/a']);
  expect(await found({}, { stores: ['1'] })).toEqual(['1/a', '1/b']);
  expect(await found({ store_reference: ['other'] }, { stores: ['1'] })).toEqual([]);
});

test('is right after a rebuild, and after receipts were deleted', async () => {
  const retailer = newRetailer();
  const [first] = await harness.post(retailer, [{ till_uuid: 'a' }, { till_uuid: 'b' }]);
  const before = await tillsOf(retailer);
  await harness.fake.call(contracts.deleteReceipt, { params: { id: first } } as never, callOf(retailer));
  await harness.database.db.collection('receipt_totals').deleteMany({});
  const after = await tillsOf(retailer);
  expect(after.map((row) => [row['till_uuid'], row['last_localtime']])).toEqual(
    before.map((row) => [row['till_uuid'], row['last_localtime']]),
  );
});
