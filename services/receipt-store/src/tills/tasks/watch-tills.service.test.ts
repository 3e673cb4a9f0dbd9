import type { TillContact } from '@receipts/contracts';
import { timestampOf } from '@receipts/kernel';
import { until } from '@receipts/testing';
import { Harness } from '../../testing/harness';
import { retailerOf, storeOf } from '../../testing/samples';

const minuteMs = 60_000;
let harness: Harness;
beforeAll(async () => {
  harness = await Harness.start();
});
afterEach(() => harness.contacts.splice(0));
afterAll(() => harness.stop());

const now = () => new Date(Date.now() + harness.clock.aheadMs);
const pass = (minutes: number) => (harness.clock.aheadMs += minutes * minuteMs);

const watched = (minutes: number | null = 10) =>
  harness.retailer((id) => retailerOf(id, { tills: { silent_after_minutes: minutes } }));

const eventsOf = (retailer: string) =>
  harness.fake.published
    .filter((event) => event.retailer === retailer && event.type.startsWith('till.'))
    .map(({ type, sequence, data }) => [type, sequence, (data as { till_uuid: string }).till_uuid]);

const untilEvents = (retailer: string, count: number) =>
  until(`${count} events of tills`, () => eventsOf(retailer).length >= count);

/** Resolves when the tills have been looked at since this call: a till of another retailer has fallen silent. */
async function untilLookedAt(): Promise<void> {
  for (let round = 0; round < 2; round++) {
    const probe = watched(1);
    await harness.post(probe, [{ till_uuid: 'probe' }]);
    pass(2);
    await untilEvents(probe, 1);
  }
}

const contactOf = (till: string): TillContact => ({
  store_reference: '1',
  till_uuid: till,
  last_received: timestampOf(now()),
  failed: [],
  agent: {
    version: '1.0.0',
    waiting: 0,
    clock_difference_s: 0,
  },
});

it('reports each silence once, and its end', async () => {
  const retailer = watched(30);
  await harness.post(retailer, [{ till_uuid: 'a' }, { till_uuid: 'b' }]);
  const lastReceived = now();
  pass(20);
  await harness.post(retailer, [{ till_uuid: 'b' }]);
  pass(12);
  await untilEvents(retailer, 1);
  await untilLookedAt();
  expect(eventsOf(retailer)).toEqual([['till.silent', 1, 'a']]);
  const [event] = harness.fake.published.filter(
    (one) => one.retailer === retailer && one.type === 'till.silent',
  );
  expect(event).toMatchObject({ source: `/retailers/${retailer}/tills`, subject: expect.any(String) });
  const { store_reference: store, last_received: at } = event?.data as Record<string, string>;
  expect(store).toBe('1');
  expect(Math.abs(Date.parse(String(at)) - lastReceived.getTime())).toBeLessThan(30_000);

  await harness.post(retailer, [{ till_uuid: 'a' }, { till_uuid: 'b' }]);
  await untilEvents(retailer, 2);
  expect(eventsOf(retailer).at(-1)).toEqual(['till.back', 2, 'a']);
  pass(31);
  await untilEvents(retailer, 4);
  expect(eventsOf(retailer).slice(2).sort()).toEqual([
    ['till.silent', 1, 'b'],
    ['till.silent', 3, 'a'],
  ]);
});

it('says nothing for a retailer without a limit', async () => {
  const retailer = watched(null);
  await harness.post(retailer, [{ till_uuid: 'a' }]);
  pass(60);
  await untilLookedAt();
  expect(eventsOf(retailer)).toEqual([]);
});

it('counts raw data and till agents as signs of life', async () => {
  const retailer = watched();
  await harness.post(retailer, [{ till_uuid: 'agent' }, { till_uuid: 'quiet' }]);
  pass(12);
  harness.contacts.push(contactOf('agent'));
  await untilEvents(retailer, 1);
  await untilLookedAt();
  expect(eventsOf(retailer)).toEqual([['till.silent', 1, 'quiet']]);
  harness.contacts.push(contactOf('quiet'));
  await untilEvents(retailer, 2);
  expect(eventsOf(retailer).at(-1)).toEqual(['till.back', 2, 'quiet']);
});

it('does not take the data of a till for that of a silent till with the same id in another store', async () => {
  const retailer = watched();
  await harness.post(retailer, [
    { till_uuid: 'same', store_reference: 1 },
    { till_uuid: 'same', store_reference: 2 },
  ]);
  pass(12);
  harness.contacts.push({ ...contactOf('same'), store_reference: null });
  await harness.post(retailer, [{ till_uuid: 'same', store_reference: 2 }]);
  await untilEvents(retailer, 1);
  const [event] = harness.fake.published.filter(
    (one) => one.retailer === retailer && one.type === 'till.silent',
  );
  expect(event?.data).toMatchObject({ store_reference: '1', till_uuid: 'same' });
});

it('keeps to the opening hours of the store', async () => {
  const retailer = watched();
  const closed = { opening_hours: {} };
  harness.stores.push(storeOf(retailer, { settings: closed }));
  harness.stores.push(storeOf(retailer, { id: 8, reference: 2, external_reference: null, settings: {} }));
  await harness.post(retailer, [
    { till_uuid: 'closed', store_reference: 1 },
    { till_uuid: 'always open', store_reference: 2 },
  ]);
  pass(12);
  await untilEvents(retailer, 1);
  await untilLookedAt();
  expect(eventsOf(retailer)).toEqual([['till.silent', 1, 'always open']]);
});

it('does not repeat a silence after a restart, and several processes report it once', async () => {
  const retailer = watched();
  await harness.post(retailer, [{ till_uuid: 'a' }]);
  pass(12);
  await untilEvents(retailer, 1);
  const { mongo, database } = harness;
  const second = await Harness.start({ mongo, database: database.db.databaseName });
  second.clock.aheadMs = harness.clock.aheadMs;
  second.retailers.push(...harness.retailers);
  await untilLookedAt();
  await second.service.stop();
  await second.database.close();
  expect(eventsOf(retailer)).toHaveLength(1);
  expect(second.fake.published.filter((event) => event.retailer === retailer)).toEqual([]);
});
