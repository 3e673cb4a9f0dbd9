import { receiptStoreContracts as contracts, type ReturnedReceipt } from '@receipts/contracts';
import { Harness } from '../testing/harness';
import { callOf, retailerOf } from '../testing/samples';

const { eraseConsumer, listConsumerReceipts } = contracts;

let harness: Harness;
beforeAll(async () => {
  harness = await Harness.start();
});
afterAll(() => harness.stop());

async function erase(retailer: string, identifier: string) {
  let erased = 0;
  for (;;) {
    const { body } = await harness.fake.call(eraseConsumer, { body: { identifier } }, callOf(retailer));
    const answer = body as { erased: number; done: boolean };
    erased += answer.erased;
    if (answer.done) return erased;
  }
}

async function receiptsOf(retailer: string, identifier: string, count = 200) {
  const all: ReturnedReceipt[] = [];
  for (let after: number | null = 0; after !== null;) {
    const body: { identifier: string; after: number; count: number } = { identifier, after, count };
    const page: { receipts: ReturnedReceipt[]; next: number | null } = await harness.read(
      listConsumerReceipts,
      { body },
      callOf(retailer),
    );
    all.push(...page.receipts);
    after = page.next;
  }
  return all;
}

test('keeps the figures of receipts and removes personal data, including the retailer’s own personal fields', async () => {
  const retailer = harness.retailer((id) => retailerOf(id, { personal_properties: ['member'] }));
  const [id, joes] = (await harness.post(retailer, [
    {
      identifier: 'jane',
      properties: { email: 'jane@example.com', email_settings: { send: true }, member: 'J. Doe', till: 4 },
      items: [{ name: 'A', quantity: 1, total: 10, properties: { member: 'J. Doe', details: 'red' } }],
    },
    { identifier: 'joe', properties: { email: 'joe@example.com' } },
  ])) as [string, string];
  const before = await harness.get(retailer, id);
  expect(await erase(retailer, 'jane')).toBe(1);
  expect(await erase(retailer, 'jane')).toBe(0);
  const after = await harness.get(retailer, id);
  const [item] = before.items;
  expect(after).toEqual({
    ...before,
    identifier: null,
    properties: { till: 4 },
    items: [{ ...item, properties: { details: 'red' } }],
  });
  expect(await harness.get(retailer, joes)).toMatchObject({
    identifier: 'joe',
    properties: { email: 'joe@example.com' },
  });
  await harness.flushEvents();
  const published = harness.fake.published.filter(
    ({ subject, type }) => subject === id && type === 'receipt.updated',
  );
  expect(published).toHaveLength(1);
  expect(JSON.stringify(published)).not.toMatch(/jane|Doe/);
});

test('erases a consumer with many receipts completely, page by page, in order', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const ids = await harness.post(
    retailer,
    Array.from({ length: 45 }, (_, n) => ({ identifier: n % 3 === 0 ? 'joe' : 'jane' })),
  );
  const janes = ids.filter((_id, n) => n % 3 !== 0);
  expect((await receiptsOf(retailer, 'jane', 7)).map(({ id }) => id)).toEqual(janes);
  expect(await erase(retailer, 'jane')).toBe(janes.length);
  expect(await receiptsOf(retailer, 'jane')).toEqual([]);
  expect(await receiptsOf(retailer, 'joe')).toHaveLength(15);
  expect((await harness.get(retailer, janes[0] as string)).identifier).toBeNull();
});

test('ends a page of long receipts early, and continues with the next page', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const text = 'x'.repeat(400_000);
  const long = { identifier: 'jane', properties: { text } };
  const ids = await harness.post(retailer, [long, long, long, long, { identifier: 'jane' }]);
  const body = { identifier: 'jane', after: 0, count: 20 };
  const first = await harness.read(listConsumerReceipts, { body }, callOf(retailer));
  expect(first).toMatchObject({ receipts: ids.slice(0, 3).map((id) => ({ id })), next: expect.any(Number) });
  expect((await receiptsOf(retailer, 'jane', 20)).map(({ id }) => id)).toEqual(ids);
});
