import fc from 'fast-check';
import { evaluate, parseQuery, receiptFields, type SearchableRecord } from '@receipts/search-language';
import { fieldQueries } from './harness/field-queries';
import type { TestRetailer } from './harness/client';
import { aRetailer } from './harness/shared-platform';

/** Searches of generated receipts by every documented field, compared with an evaluation of the receipts themselves. */
const receiptCount = 120;
const pageSize = 20;
const dynamicFields = { receipt: { season: 'exact' }, item: { size: 'integer' } } as const;
const fields = receiptFields(dynamicFields);

const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 1 });
const names = fc.constantFrom(
  'Red shirt',
  'red cotton * sale',
  'Blue-ish socks',
  'Tea 5 €',
  '☃',
  'Café crème',
);
const discounts = fc.array(
  fc.record({
    name: names,
    quantity: some(fc.integer({ min: 1, max: 3 })),
    amount: fc.constantFrom(-1, -2.5),
  }),
  { minLength: 1, maxLength: 2 },
);
const rarely = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 3 });
const item = fc.record({
  name: names,
  quantity: fc.constantFrom(1, 1, 1, 2, 0.5, -1, 7),
  total: fc.constantFrom(1, 5.5, 30, -12.5),
  unit: some(fc.constantFrom('kg', 'pcs')),
  discounts: some(discounts),
  return: rarely(
    fc.record({ localtime: fc.constant('2024-10-01T10:00:00Z'), reason: some(fc.constantFrom('torn', '☃')) }),
  ),
  properties: some(fc.record({ details: some(names), product_code: some(fc.constantFrom('CL-1', 'P-2')) })),
  dynamic: rarely(fc.record({ size: fc.integer({ min: 1, max: 3 }) })),
});
const payment = fc.record({
  method: fc.constantFrom('cash', 'card', 'giftcard'),
  amount: fc.constant(1),
  change: some(fc.constantFrom(0, 2.5)),
  number: some(fc.constantFrom('1234', '77')),
  po_number: some(fc.constant('PO-7')),
});
const receipt = fc.record({
  localtime: fc.constantFrom('2023-12-31T23:59:59Z', '2024-10-12T23:30:00Z', '2024-10-16T00:00:00Z'),
  store_reference: fc.constantFrom<string | number>(1, 42, 'ABC', 77),
  identifier: some(fc.constantFrom('joe.smith@example.com', '990000000001', 'plus+tag@example.org')),
  total: fc.constantFrom(1, 10, 35.5, -12.5),
  items: fc.array(item, { minLength: 1, maxLength: 3 }),
  discounts: some(discounts),
  payments: some(fc.array(payment, { maxLength: 2 })),
  properties: some(
    fc.record({
      email: some(fc.constantFrom('joe.smith@example.com', 'jo+tag@mail.example.org')),
      operator: some(fc.constantFrom('Till 7', 'Till 8')),
      salesperson: some(fc.constantFrom('Anna-Maria Öberg', 'Joe')),
    }),
  ),
  dynamic: rarely(fc.record({ season: fc.constantFrom('summer', 'winter') })),
});

let retailer: TestRetailer;
let records: SearchableRecord[];

beforeAll(async () => {
  retailer = await aRetailer({ dynamic_fields: dynamicFields });
  const stores = [{ reference: 1 }, { reference: 42 }, { reference: 3, external_reference: 'ABC' }];
  const ids = new Map<string, SearchableRecord>();
  for (const names of stores) {
    const { headers } = await retailer.api.post('/stores', { ...names, name: 'A store', country: 'FRA' });
    const { id } = (await retailer.api.get(String(headers.location))).body;
    const { external_reference: external = null, reference } = { external_reference: undefined, ...names };
    const known = { store_id: id, store_reference: reference, external_store_reference: external };
    ids.set(external ?? String(reference), known);
  }
  const posted = fc.sample(receipt, { numRuns: receiptCount, seed: 7 });
  records = await Promise.all(
    posted.map(async (one, n) => {
      const transaction_id = n % 3 === 0 ? `T:${n}/x` : n % 3 === 1 ? String(7_000 + n) : `t-${n}`;
      const answer = await retailer.api.post('/receipts', { ...one, transaction_id });
      expect([answer.status, answer.body]).toEqual([201, answer.body]);
      const { body } = await retailer.api.get(`/receipts/${answer.body.id}`, { checks: 'true' });
      const checks = (body.checks as { code: string }[]).map(({ code }) => code);
      return { ...body, checks, ...ids.get(body.store_reference) } as SearchableRecord;
    }),
  );
});

it('every field finds the matching receipts and never returns 503', async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(fieldQueries(fields, records), async ({ query }) => {
      const parsed = parseQuery(query);
      const expected = records.filter((record) => evaluate(parsed, fields, record).matches);
      const answer = await retailer.api.get('/receipts/_search', { query });
      const { hits, hits_relation: relation, receipts } = answer.body;
      expect([query, answer.status, hits, relation]).toEqual([query, 200, expected.length, 'eq']);
      expect([query, receipts.length]).toEqual([query, Math.min(pageSize, expected.length)]);
      const ids = new Set(expected.map(({ id }) => id));
      expect([query, receipts.filter(({ id }: { id: string }) => !ids.has(id))]).toEqual([query, []]);
      if (expected.length > 0) found++;
    }),
    { numRuns: 400 },
  );
  expect(found).toBeGreaterThan(100);
});
