import { postedReceipt, postedReceiptExample } from '.';

const refusal = (change: object) => {
  const { success, error } = postedReceipt.safeParse({ ...postedReceiptExample, ...change });
  return success ? undefined : error;
};
const item = { name: 'Coffee', quantity: 1, total: 1 };
const fiscal = { regime: 'de-tse' };
const payment = { method: 'card', amount: 1 };

test.each(['40063812', '036000291452', '4006381333931', '04006381333931'])('accepts the GTIN %s', (gtin) => {
  expect(refusal({ items: [{ ...item, gtin }] })).toBeUndefined();
});

test.each(['4006381333932', '400638133393', '', '12345678901', 'ABCDEFGH'])('refuses the GTIN %j', (gtin) => {
  expect(refusal({ items: [{ ...item, gtin }] })?.issues).toMatchObject([
    { path: ['items', 0, 'gtin'], params: { code: 'invalid_gtin' } },
  ]);
});

test.each<[string, object]>([
  ['an unknown regime', { fiscal: { regime: 'xx' } }],
  ['no regime', { fiscal: { qr: 'x' } }],
  ['an unknown member', { fiscal: { ...fiscal, more: 1 } }],
  ['a time without offset', { fiscal: { ...fiscal, started: '2024-05-17T14:03:22' } }],
  ['a negative counter', { fiscal: { ...fiscal, counter: -1 } }],
  ['an empty code', { fiscal: { ...fiscal, qr: '' } }],
  ['a long code', { fiscal: { ...fiscal, qr: 'x'.repeat(4_097) } }],
  ['a certificate that is not base64', { fiscal: { ...fiscal, certificate: '?' } }],
  ['a long certificate', { fiscal: { ...fiscal, certificate: 'A'.repeat(8_196) } }],
  ['21 texts', { fiscal: { ...fiscal, texts: new Array(21).fill('x') } }],
  ['an empty text', { fiscal: { ...fiscal, texts: [''] } }],
  ['101 charges', { charges: new Array(101).fill({ name: 'x', amount: 1 }) }],
  ['a charge without an amount', { charges: [{ name: 'x' }] }],
  ['an empty lot', { items: [{ ...item, lot: '' }] }],
  ['a long serial number', { items: [{ ...item, serial: 'x'.repeat(21) }] }],
  ['an unknown entry mode', { payments: [{ ...payment, entry_mode: 'x' }] }],
  ['an AID that is not hexadecimal', { payments: [{ ...payment, aid: 'G000000003' }] }],
  ['a short AID', { payments: [{ ...payment, details: { aid: 'A00000000' } }] }],
  ['a tip that is not a number', { payments: [{ ...payment, tip: '1' }] }],
  [
    'a number of a card that is named by its brand',
    { payments: [{ method: 'x', amount: 1, brand: 'Visa', number: '12345' }] },
  ],
])('refuses %s', (_what, change) => expect(refusal(change)).toBeDefined());
