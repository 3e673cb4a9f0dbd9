import fc from 'fast-check';
import { compileFastCheck, hasOnlyFiniteNumbers } from '@receipts/kernel';
import { postedReceipt, postedReceiptExample } from '.';

const accepts = compileFastCheck(postedReceipt);

/** The value as parsed from a request body. */
const fromText = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const good = fromText({
  ...postedReceiptExample,
  identifier: null,
  taxes: [{ name: 'vat_20', rate: 20, amount: 1.5, properties: { any: { thing: [1, null, 'x'] } } }],
  discounts: [{ name: 'Loyal', quantity: 1, amount: -1 }],
  payments: [
    { method: 'card', amount: 5, currency: 'EUR', number: '1234' },
    { method: 'giftcard', amount: 5, details: { number: '9876543210', balance: 3 } },
  ],
  l10n: { locale: 'en_GB', timezone: 'Europe/Paris', currency: 'EUR' },
  store: { name: 'Opéra', country: 'FRA', reference: 1, address: ['1 rue X'], properties: [1] },
  properties: { email: 'jane@example.com', email_settings: { send: true }, other: { at: ['all'] } },
  items: [
    {
      name: 'Coffee',
      'name:de_AT': 'Kaffee',
      quantity: 1.5,
      total: 10,
      return: { localtime: '2024-05-18T10:00:00', reason: 'broken' },
      properties: { details: ['a', 'b'] },
    },
    { name: 'Tea', quantity: 1, total: 2, vat: { rate: 20, amount: 1 }, unit: null },
  ],
}) as Record<string, unknown>;

type Place = readonly [holder: Record<string, unknown>, key: string];

function places(value: unknown, found: Place[] = []): Place[] {
  if (typeof value !== 'object' || value === null) return found;
  for (const key of Object.keys(value)) {
    const holder = value as Record<string, unknown>;
    found.push([holder, key]);
    places(holder[key], found);
  }
  return found;
}

/** Values that a hostile or careless client may put anywhere. */
const anything = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    'x',
    'EUR',
    'vat_20',
    'card',
    'CARD',
    'Europe/Paris',
    'FRA',
    '12345',
    '1234',
    '\ud800',
    '-',
    ' ',
    'x'.repeat(256),
    '2024-02-30T10:00:00',
    '2024-02-29T10:00',
    0,
    -0,
    1,
    -1,
    1.5,
    2 ** 53,
    2 ** 53 - 1,
    -(2 ** 60),
    true,
    false,
    [],
    {},
    [[]],
    ['a'],
    [1],
    { send: 1 },
    { send: true },
    { number: '12345' },
    [{}],
    { __proto__x: 1 },
    [{ name: 'a', amount: 1 }],
    [{ name: 'a', quantity: 1, total: 1 }],
    'f47ac10b-58cc-4372-a567-0e02b2c3d479',
  ),
  fc.jsonValue(),
);
const keys = fc.constantFrom(
  'name',
  'name:fr',
  'name:de_at',
  'total',
  'amount',
  'rate',
  'quantity',
  'unit',
  'number',
  'details',
  'properties',
  'dynamic',
  'items',
  'taxes',
  'identifier',
  'external_id',
  'duplicate',
  'till_uuid',
  'localtime',
  'constructor',
  '__proto__',
  'toString',
  'email_settings',
  'currency',
  'attachments',
  'reference',
  'x',
);
const change = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom('put', 'add', 'remove'),
  key: keys,
  value: anything,
});

function changed(changes: readonly { at: number; kind: string; key: string; value: unknown }[]): unknown {
  const receipt = fromText(good) as Record<string, unknown>;
  for (const { at, kind, key, value: drawn } of changes) {
    const value = structuredClone(drawn);
    const all = places(receipt);
    const place = all[at % all.length];
    if (!place) break;
    const [holder, own] = place;
    if (kind === 'put') holder[own] = value;
    else if (kind === 'remove') delete holder[own];
    else Object.defineProperty(holder, key, { value, enumerable: true, writable: true, configurable: true });
  }
  return fromText(receipt);
}

test('accepts only what the schema accepts, and only finite numbers', () => {
  let accepted = 0;
  let refused = 0;
  fc.assert(
    fc.property(fc.array(change, { maxLength: 3 }), (changes) => {
      const receipt = changed(changes);
      if (!accepts(receipt)) return void refused++;
      accepted++;
      expect(postedReceipt.safeParse(receipt).error?.issues ?? []).toEqual([]);
      expect(hasOnlyFiniteNumbers(receipt)).toBe(true);
    }),
    { numRuns: 5_000 },
  );
  expect(Math.min(accepted, refused)).toBeGreaterThan(500);
});

test('rejects any value that is not a receipt', () => {
  fc.assert(fc.property(anything, (value) => !accepts(fromText(value))));
});

test('accepts a typical receipt without the schema, even with translations, a store and properties', () => {
  expect(accepts(good)).toBe(true);
  expect(accepts(postedReceiptExample)).toBe(true);
});

test.each([
  ['an infinite number among the properties', '"properties":{"a":1e400}'],
  ['an infinite total', '"total":1e400'],
  ['a member named __proto__', '"__proto__":{}'],
  ['a full card number', '"payments":[{"method":"card","amount":1,"number":"12345"}]'],
  ['deeply nested free-form objects', `"properties":{"a":${'['.repeat(20)}${']'.repeat(20)}}`],
])('leaves %s to the schema', (_what, member) => {
  expect(accepts(JSON.parse(JSON.stringify(good).replace(/}$/, `,${member}}`)))).toBe(false);
});
