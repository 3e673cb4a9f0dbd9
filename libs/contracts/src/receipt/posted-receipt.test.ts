import { faultsOf, check, ServiceError, withInputs } from '@receipts/kernel';
import { postedReceipt, postedReceiptExample } from '.';
import { fullReceipt } from '../testing/full-receipt';

const receipt = (change: Record<string, unknown> = {}) => ({
  transaction_id: 't-1',
  localtime: '2024-05-17T14:03:22+02:00',
  store_reference: 1,
  total: 10,
  items: [{ name: 'Coffee', quantity: 1, total: 10 }],
  ...change,
});

const item = (change: Record<string, unknown>) =>
  receipt({ items: [{ name: 'Coffee', quantity: 1, total: 10, ...change }] });

/** Validates a body as parsed from its text. */
function faults(body: unknown): string[] {
  const result = postedReceipt.safeParse(typeof body === 'string' ? JSON.parse(body) : body, withInputs);
  return result.success ? [] : faultsOf(result.error).map(({ path, code }) => `${path} ${code}`);
}

function refusalOf(body: unknown): ServiceError {
  try {
    check(postedReceipt, body);
  } catch (caught) {
    if (caught instanceof ServiceError) return caught;
    throw caught;
  }
  throw new Error('the body was accepted');
}

const withText = (member: string) => JSON.stringify(receipt()).replace(/}$/, `,${member}}`);
const withItemText = (member: string) =>
  JSON.stringify(receipt()).replace('"quantity":1', `"quantity":1,${member}`);

test('accepts the example, the smallest receipt, and one with every field', () => {
  expect(faults(postedReceiptExample)).toEqual([]);
  expect(faults(receipt())).toEqual([]);
  expect(faults(fullReceipt)).toEqual([]);
});

test('never changes a value: the parsed value equals the input', () => {
  const full = item({ 'name:fr': 'Café', properties: { details: 'x' } });
  expect(postedReceipt.parse(full)).toEqual(full);
});

test('reports all faults, each with its path', () => {
  const body = receipt({ total: '1', nope: 1, items: [{ name: 1, total: 2, 'name:xx': 3, typo: 1 }] });
  delete (body as Record<string, unknown>)['localtime'];
  expect(faults(body).sort()).toEqual([
    '/items/0/name invalid_type',
    '/items/0/name:xx invalid_type',
    '/items/0/quantity required',
    '/items/0/typo unknown_field',
    '/localtime required',
    '/nope unknown_field',
    '/total invalid_type',
  ]);
});

test.each([
  ['name:fr', []],
  ['name:de_AT', []],
  ['name:zh_Hant_TW', []],
  ['name:es_419', []],
  ['name:sl_rozaj_biske_1994', []],
  ['name:de_1996', []],
  ['name:en_a_bbb_x_a', []],
  ['name:de_at', ['/items/0/name:de_at invalid_alternative']],
  ['name:DE_AT', ['/items/0/name:DE_AT invalid_alternative']],
  ['name:en-GB', ['/items/0/name:en-GB invalid_alternative']],
  ['name:en_', ['/items/0/name:en_ invalid_alternative']],
  ['name:x_private', ['/items/0/name:x_private invalid_alternative']],
  ['name:', ['/items/0/name: invalid_alternative']],
  ['name:zh_hant_TW', ['/items/0/name:zh_hant_TW invalid_alternative']],
  ['name:fr\n', ['/items/0/name:fr\n invalid_alternative']],
  ['total:fr', ['/items/0/total:fr unknown_field']],
  ['unit:fr', ['/items/0/unit:fr unknown_field']],
])('alternative %j', (key, expected) => {
  expect(faults(item({ [key]: 'x' }))).toEqual(expected);
});

test('knows the translations of an item whose discount has a broken quantity', () => {
  const discounts = [{ name: 'x', amount: 1, quantity: 1.5 }];
  const path = '/items/0/discounts/0/quantity';
  expect(faults(item({ 'name:fr': 'Café', discounts }))).toEqual([`${path} invalid_type`]);
  expect(faults(item({ 'name:FR': 'Café', discounts }))).toContain('/items/0/name:FR invalid_alternative');
});

test('treats an alternative on a field of the receipt itself as an unknown field', () => {
  expect(faults(receipt({ 'transaction_id:fr': 'x' }))).toEqual(['/transaction_id:fr unknown_field']);
});

test.each([
  ['total', '1e400', '/total invalid_type'],
  ['total', '"1"', '/total invalid_type'],
  ['total', 'null', '/total invalid_type'],
  ['total', '9007199254740993', '/total out_of_range'],
  ['total', '-1e300', '/total out_of_range'],
])('rejects %s %s', (field, text, expected) => {
  expect(
    faults(JSON.stringify(receipt()).replace('"total":10,"items"', `"${field}":${text},"items"`)),
  ).toEqual([expected]);
});

test('accepts a relation as returned, with null for the id that is not given', () => {
  const related = [{ type: 'return', id: null, transaction_id: 'a' }];
  expect(faults(receipt({ related }))).toEqual([]);
  expect(faults(receipt({ related: [{ type: 'return', id: null, transaction_id: null }] }))).toEqual([
    '/related/0/id exclusive',
  ]);
});

test('accepts a quantity of negative zero, and rejects integers that a double cannot represent', () => {
  expect(faults(JSON.stringify(receipt()).replace('"quantity":1', '"quantity":-0'))).toEqual([]);
  expect(faults(receipt({ discounts: [{ name: 'x', amount: 1, quantity: 1.5 }] }))).toEqual([
    '/discounts/0/quantity invalid_type',
  ]);
  expect(faults(withText('"discounts":[{"name":"x","amount":1,"quantity":9007199254740993}]'))).toEqual([
    '/discounts/0/quantity too_big',
  ]);
});

test('rejects __proto__ in a typed object, and treats it as data in free-form objects', () => {
  expect(faults(withText('"__proto__":{"polluted":1},"constructor":{"prototype":{}}')).sort()).toEqual([
    '/__proto__ unknown_field',
    '/constructor unknown_field',
  ]);
  expect(faults(withItemText('"__proto__":{},"constructor":1')).sort()).toEqual([
    '/items/0/__proto__ unknown_field',
    '/items/0/constructor unknown_field',
  ]);
  expect(faults(withText('"l10n":{"__proto__":{}}'))).toEqual(['/l10n/__proto__ unknown_field']);
  expect(faults(withText('"attachments":{"__proto__":{"id":"x"}}'))).toEqual([
    '/attachments/__proto__ invalid_key',
  ]);
  expect(faults(withText('"attachments":{"a":{"id":"x","__proto__":{}}}'))).toEqual([
    '/attachments/a/__proto__ unknown_field',
  ]);
  expect(faults(withText('"properties":{"__proto__":{"a":1},"constructor":{"prototype":1}}'))).toEqual([]);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('accepts anything in free-form objects except numbers that are not finite', () => {
  expect(faults(withText('"properties":{"a":[1,{"b":1e400}],"__proto__":{"c":-1e400}}')).sort()).toEqual([
    '/properties/__proto__/c not_finite',
    '/properties/a/1/b not_finite',
  ]);
  expect(faults(receipt({ properties: [] }))).toEqual(['/properties invalid_type']);
  const settings = { email_settings: { send: 'yes', block: 1, other: 1 }, messaging_settings: { sms: [] } };
  expect(faults(receipt({ properties: settings }))).toEqual([
    '/properties/email_settings/send invalid_type',
    '/properties/email_settings/block invalid_type',
    '/properties/messaging_settings/sms invalid_type',
  ]);
  expect(faults(receipt({ properties: { email_settings: null } }))).toEqual([
    '/properties/email_settings invalid_type',
  ]);
  expect(faults(item({ properties: { details: 1 } }))).toEqual(['/items/0/properties/details invalid_type']);
});

test.each([
  ['2024-02-29T23:59:59', true],
  ['2024-05-17T14:03', true],
  ['2024-05-17T14:03:22.123456Z', true],
  ['2024-05-17T14:03:22+0200', true],
  ['2023-02-29T10:00:00', false],
  ['2024-02-30T25:61', false],
  ['+275760-09-13T00:00:00', false],
  ['2024-05-17T14:03:22+99:99', false],
  ['2024-05-17T24:00:00', false],
  ['2024-05-17', false],
  ['2024-05-17 14:03:22', false],
  ['2024-05-17T14:03:22z', false],
  ['now', false],
])('accepts localtime %s', (localtime, good) => {
  expect(faults(receipt({ localtime }))).toEqual(good ? [] : ['/localtime invalid_format']);
});

test.each([
  ['external_id', 'f47ac10b-58cc-1372-a567-0e02b2c3d479', '/external_id invalid_format'],
  ['store_reference', 1.5, '/store_reference invalid_type'],
  ['store_reference', '', '/store_reference too_small'],
  ['store_reference', { $ne: null }, '/store_reference invalid_type'],
  ['identifier', '', '/identifier too_small'],
  ['items', [], '/items too_small'],
  ['taxes', [{ name: 'VAT 20', amount: 1 }], '/taxes/0/name invalid_format'],
  ['l10n', { timezone: 'Mars/Olympus' }, '/l10n/timezone invalid_value'],
  ['l10n', { currency: 'EURO' }, '/l10n/currency invalid_value'],
  ['store', { name: 'x', country: 'FR' }, '/store/country invalid_value'],
  ['store', { name: '', country: 'FRA' }, '/store/name too_small'],
  ['payments', [{ method: 'cash', amount: 1, wallet: 1 }], '/payments/0/wallet unknown_field'],
  ['attachments', { 'no label': { id: 'x' } }, '/attachments/no label invalid_key'],
  ['attachments', { a: { id: 'x', data: 'aaaa' } }, '/attachments/a exclusive'],
  ['attachments', { a: { data: 'a-b_' } }, '/attachments/a/data invalid_format'],
  ['attachments', { a: { data: '' } }, '/attachments/a/data invalid_format'],
])('rejects %s %j', (field, value, expected) => {
  expect(faults(receipt({ [field]: value }))).toEqual([expected]);
});

test('treats an empty string like any other string', () => {
  const payment = { method: 'card', amount: 1, number: '', type: '', details: { issue: '', expiry: '' } };
  const tax = { name: 'vat', amount: 1, code: '' };
  expect(faults(receipt({ till_uuid: '', payments: [payment], taxes: [tax] }))).toEqual([]);
  expect(faults(item({ name: '', unit: '', vat: { rate: 1, amount: 1, code: '' } }))).toEqual([]);
  expect(faults(item({ unit: 'u'.repeat(256) }))).toEqual(['/items/0/unit too_big']);
});

test.each([
  ['transaction_id', 'a\ud800'],
  ['identifier', '\udc00a'],
  ['store_reference', 'a\ud800b'],
])('%s: rejects a lone surrogate in a name, since UTF-8 cannot encode it', (field, value) => {
  expect(faults(receipt({ [field]: value }))).toEqual([`/${field} invalid_format`]);
  expect(faults(receipt({ [field]: 'a😀' }))).toEqual([]);
});

test.each(['transaction_id', 'identifier', 'store_reference'])(
  '%s: rejects a NUL in a name, since no path or query can contain it',
  (field) => {
    expect(faults(receipt({ [field]: 'a\0b' }))).toEqual([`/${field} invalid_format`]);
  },
);

test('limits all inline attachments together to one mebibyte', () => {
  const half = Buffer.alloc(512 * 1024).toString('base64');
  expect(faults(receipt({ attachments: { a: { data: half }, b: { data: half } } }))).toEqual([]);
  const attachments = { a: { data: half }, b: { data: half }, c: { data: 'AA==' } };
  expect(faults(receipt({ attachments }))).toEqual(['/attachments attachments_too_big']);
});

test('reports a card number of more than four digits with its own code, even inside details', () => {
  const error = (payments: unknown[]) => refusalOf(receipt({ payments }));
  const card = { method: 'credit_card', amount: 1 };
  expect(error([{ ...card, number: '12345' }])).toMatchObject({ status: 422, code: 'card_number_too_long' });
  expect(error([{ ...card, details: { number: '4539 5787 6362 1486' } }])).toMatchObject({
    code: 'card_number_too_long',
    errors: [{ path: '/payments/0/details/number', code: 'card_number_too_long' }],
  });
  expect(error([{ ...card, number: '12345', nope: 1 }])).toMatchObject({ code: 'schema_validation_failed' });
  expect(faults(receipt({ payments: [{ ...card, number: '**** **** **** 1234' }] }))).toEqual([]);
  expect(faults(receipt({ payments: [{ method: 'giftcard', amount: 1, number: '123456' }] }))).toEqual([]);
});

describe('a body with a large number of faults', () => {
  const times = <T>(count: number, value: T) => new Array<T>(count).fill(value);
  const keys = (count: number, prefix = 'k') =>
    Object.fromEntries(times(count, 'x').map((value, n) => [`${prefix}${n}`, value]));

  test.each<[string, Record<string, unknown>]>([
    ['taxes of an item', item({ taxes: times(200_000, {}) })],
    ['members of an attachment', { attachments: { a: keys(150_000) } }],
  ])('%s: reports the first thousand', (_what, change) => {
    const refused = refusalOf(receipt(change));
    expect(refused).toMatchObject({ status: 422, code: 'schema_validation_failed' });
    expect(refused.errors).toHaveLength(1000);
  });

  test.each<[string, Record<string, unknown>]>([
    ['attachments', { attachments: keys(2000) }],
    ['numbers', { properties: { a: times(2000, Infinity) } }],
    ['translations', item(keys(2000, 'name:F'))],
  ])('%s: stops after a thousand', (_what, change) => {
    expect(postedReceipt.safeParse(receipt(change)).error?.issues).toHaveLength(1000);
  });

  test('reports a fault that follows many valid members', () => {
    const good = { name: 'a', quantity: 1, total: 1 };
    const { errors } = refusalOf(receipt({ items: [...times(30_000, good), { ...good, name: 1 }] }));
    expect(errors).toMatchObject([{ path: '/items/30000/name', code: 'invalid_type' }]);
  });
});

test('rejects values that are not objects, without throwing', () => {
  for (const value of [null, 1, 'x', [], [[]]]) expect(faults(JSON.stringify(value))).toHaveLength(1);
  expect(faults(receipt({ items: [null, 1, 'x', []] }))).toHaveLength(4);
  expect(faults(receipt({ payments: [null] }))).toHaveLength(1);
});
