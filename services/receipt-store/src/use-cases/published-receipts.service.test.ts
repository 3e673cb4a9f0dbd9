import { receiptStoreContracts as contracts } from '@receipts/contracts';
import type { EventRecord } from '@receipts/kernel';
import { Harness, refusal } from '../testing/harness';
import { callOf, retailerOf } from '../testing/samples';

const {
  assignReceipt,
  createGiftReceipt,
  deleteReceipt,
  eraseConsumer,
  listPublishedEvents,
  patchReceipt,
  findPublishedEvents,
} = contracts;

let harness: Harness;
beforeAll(async () => {
  harness = await Harness.start();
});
afterEach(() => (harness.clock.aheadMs = 0));
afterAll(() => harness.stop());

interface Page {
  readonly entries: readonly {
    readonly id: string;
    readonly at: string;
    readonly events: readonly string[];
  }[];
  readonly next: string;
  readonly more: boolean;
}

const list = async (retailer: string, after: string | null, count = 100) =>
  (await harness.fake.call(listPublishedEvents, { body: { after, count } }, callOf(retailer))).body as Page;
const again = async (retailer: string, ids: readonly string[]) =>
  (await harness.read<{ events: EventRecord[] }>(findPublishedEvents, { body: { ids } }, callOf(retailer)))
    .events;

async function toldSince(retailer: string, after: string, perPage: number) {
  const all: Page['entries'][number][] = [];
  for (let next = after; ;) {
    const page = await list(retailer, next, perPage);
    expect(page.entries.length).toBeLessThanOrEqual(perPage);
    all.push(...page.entries);
    if (!page.more) return all;
    next = page.next;
  }
}

/** One receipt that does not change, one that is patched twice, one that is assigned, and one that is deleted. */
async function tellOfAll(retailer: string) {
  const ids = await harness.post(retailer, [{}, {}, {}, {}]);
  // A change to a receipt whose event is not confirmed yet also publishes that event.
  await harness.flushEvents();
  const [, patched, assigned, deleted] = ids as [string, string, string, string];
  for (const value of ['first', 'second']) {
    const body = [{ op: 'add', path: '/properties/note', value }];
    const input = { params: { id: patched }, headers: {}, body, contentType: 'application/json-patch+json' };
    await harness.fake.call(patchReceipt, input as never, callOf(retailer));
  }
  const assign = { query: {}, body: { id: assigned, identifier: 'jane' } };
  await harness.fake.call(assignReceipt, assign as never, callOf(retailer));
  await harness.fake.call(deleteReceipt, { params: { id: deleted } }, callOf(retailer));
  await harness.flushEvents();
  const published = harness.fake.published.filter(({ subject }) => ids.includes(subject));
  return { ids, patched, deleted, published };
}

const factsOf = ({ id, type, subject, sequence, time, correlationid }: EventRecord) =>
  [id, type, subject, sequence, time, correlationid].join();
const countOfAll = 8;

test('returns unpublished events of a deleted receipt', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const [id] = (await harness.post(retailer, [{}])) as [string];
  await harness.flushEvents();
  harness.fake.isAway = true;
  const input = { query: {}, body: { id, identifier: 'jane' } };
  await harness.fake.call(assignReceipt, input as never, callOf(retailer));
  await harness.fake.call(deleteReceipt, { params: { id } }, callOf(retailer));
  const published = (await again(retailer, [id])).map(({ type, sequence }) => [type, sequence]);
  harness.fake.isAway = false;
  expect(published.sort()).toEqual([
    ['receipt.assigned', 2],
    ['receipt.deleted', 3],
  ]);
});

test('keeps the id of every event that is published again, and includes the current receipt', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  await harness.post(retailer, [{}]);
  const begin = await list(retailer, null);
  expect(begin).toMatchObject({ entries: [], more: false });
  const { ids, patched, deleted, published } = await tellOfAll(retailer);
  expect(published).toHaveLength(countOfAll);
  // No events of a deleted receipt are kept.
  const expected = published.filter(({ subject, type }) => subject !== deleted || type === 'receipt.deleted');

  expect((await list(retailer, begin.next)).entries).toEqual([]);
  harness.clock.aheadMs = 10_000;
  for (const perPage of [2, 100]) {
    const heads = await toldSince(retailer, begin.next, perPage);
    expect([...new Set(heads.map(({ id }) => id))].sort()).toEqual([...ids].sort());
    expect([...new Set(heads.flatMap(({ events }) => events))].sort()).toEqual(
      expected.map(({ id }) => id).sort(),
    );
  }
  const events = await again(retailer, ids);
  expect(events.map(factsOf).sort()).toEqual(expected.map(factsOf).sort());
  const untouched = events.find(({ subject }) => subject === ids[0]);
  expect(untouched).toEqual(expected.find(({ subject }) => subject === ids[0]));
  const notes = events
    .filter(({ subject }) => subject === patched)
    .map(({ data }) => (data as { receipt: { properties: { note: string } } }).receipt.properties.note);
  expect(notes).toEqual(['second', 'second', 'second']);
});

test('publishes the event of a gift receipt again, until the receipt ends', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const [id] = (await harness.post(retailer, [{}])) as [string];
  await harness.flushEvents();
  const input = { params: { id }, body: { until: '2026-12-31', message: 'for Jane' } };
  await harness.fake.call(createGiftReceipt, input, callOf(retailer));
  await harness.flushEvents();
  const isGift = ({ type, subject }: EventRecord) => type === 'receipt.gift_created' && subject === id;
  const published = harness.fake.published.filter(isGift);
  const events = await again(retailer, [id]);
  const partsOf = (event: EventRecord) => [factsOf(event), event.data];
  expect(published).toHaveLength(1);
  expect(events.filter(isGift).map(partsOf)).toEqual(published.map(partsOf));
  expect(events.at(-1)).toMatchObject({ sequence: 2, data: { id, items: [0], until: '2026-12-31' } });
  expect(JSON.stringify(events)).not.toContain('Jane');
  await harness.fake.call(deleteReceipt, { params: { id } }, callOf(retailer));
  expect((await again(retailer, [id])).map(({ type }) => type)).toEqual(['receipt.deleted']);
});

test('does not publish erased consumers again, and lists no events of another retailer', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const [id] = (await harness.post(retailer, [{ identifier: 'jane' }])) as [string];
  await harness.fake.call(eraseConsumer, { body: { identifier: 'jane' } }, callOf(retailer));
  const events = await again(retailer, [id]);
  expect(events.map(({ type }) => type)).toEqual(['receipt.created', 'receipt.updated']);
  expect(JSON.stringify(events)).not.toContain('jane');
  const other = harness.retailer((name) => retailerOf(name));
  expect(await again(other, [id])).toEqual([]);
  expect(await refusal(list(retailer, '[0,"x"]'))).toMatchObject({ status: 400, code: 'unknown_cursor' });
});
