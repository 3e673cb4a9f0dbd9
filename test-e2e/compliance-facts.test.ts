import { spawnSync } from 'node:child_process';
import { until } from '@receipts/testing';
import type { TestRetailer } from './harness/client';
import { mailsTo } from './harness/mails';
import { aReceipt, uniqueId } from './harness/receipts';
import { anonymous, aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;

beforeAll(async () => {
  retailer = await aRetailer({ response_links: true, locale: 'en_GB' });
  const store = { reference: 1, name: 'Opera', country: 'FRA', vatno: 'FR-STORE-1', company: 'Opera SARL' };
  expect((await retailer.api.post('/stores', store)).status).toBe(201);
});

const full = () =>
  aReceipt({
    items: [{ name: 'Pen', quantity: 1, total: 10, gtin: '4006381333931', lot: 'LOT-77', serial: 'SER-88' }],
    charges: [{ name: 'Delivery to the door', amount: 2.5 }],
    payments: [
      {
        method: 'card',
        amount: 14,
        tip: 1.5,
        number: '1234',
        brand: 'Visa',
        authorization_code: 'AUTH-5',
        terminal_id: 'TERM-6',
        aid: 'A0000000031010',
      },
    ],
    total: 12.5,
    fiscal: { regime: 'fr', qr: 'the code of the law', texts: ['Signature 0815'] },
  });

const facts = [
  '4006381333931',
  'LOT-77',
  'SER-88',
  'Delivery to the door',
  '1.50',
  'Visa',
  'AUTH-5',
  'TERM-6',
  'A0000000031010',
  'Signature 0815',
];
const missingIn = (text: string, wanted: readonly string[]) => wanted.filter((fact) => !text.includes(fact));

const isPdftotextInstalled = spawnSync('pdftotext', ['-v']).error === undefined;

it('shows the facts of law, card and trade on the page, in the PDF and in the e-mail', async () => {
  const email = `${uniqueId('facts')}@example.com`;
  const { body } = await retailer.api.post('/receipts', { ...full(), properties: { email } });
  const anybody = await anonymous();
  const open = (href: string) => anybody.get(new URL(href).pathname, { lang: 'en' }, { accept: '*/*' });
  const page = (await open(body._links.webview.href)).bytes.toString();
  expect(missingIn(page, [...facts, 'FR-STORE-1', 'Opera SARL'])).toEqual([]);
  const sent = await retailer.api.post('/receipts/_send', { id: body.id, channels: ['email'] });
  expect(sent.status).toBe(202);
  const mail = await until('the e-mail', () => mailsTo(email)[0]);
  expect(missingIn(mail, [...facts, 'FR-STORE-1', 'Opera SARL'])).toEqual([]);
  const pdf = await open(body._links.pdf.href);
  expect([pdf.status, pdf.headers['content-type']]).toEqual([200, 'application/pdf']);
  if (!isPdftotextInstalled) return;
  const { stdout } = spawnSync('pdftotext', ['-layout', '-', '-'], { input: pdf.bytes, encoding: 'utf8' });
  expect(missingIn(stdout, [...facts, 'FR-STORE-1', 'Opera SARL'])).toEqual([]);
});

const card = (payment: object) => ({ payments: [{ method: 'card', amount: 12.5, ...payment }] });
const item = (fields: object) => ({ items: [{ name: 'Pen', quantity: 1, total: 10, ...fields }] });
const fiscal = (fields: object) => ({ fiscal: { regime: 'fr', ...fields } });

it.each<[string, Record<string, unknown>, string]>([
  ['a regime that does not exist', { fiscal: { regime: 'us' } }, '/fiscal/regime'],
  ['fiscal data without a regime', { fiscal: {} }, '/fiscal/regime'],
  ['an unknown fiscal member', fiscal({ colour: 'red' }), '/fiscal/colour'],
  ['a negative counter', fiscal({ counter: -1 }), '/fiscal/counter'],
  ['a time without an offset', fiscal({ started: '2026-03-14T12:00:00' }), '/fiscal/started'],
  ['a code that is too long', fiscal({ qr: 'q'.repeat(4_097) }), '/fiscal/qr'],
  ['too many texts', fiscal({ texts: Array.from({ length: 21 }, () => 'text') }), '/fiscal/texts'],
  ['an empty lot', item({ lot: '' }), '/items/0/lot'],
  ['a serial number that is too long', item({ serial: 's'.repeat(21) }), '/items/0/serial'],
  ['an application id that is too short', card({ aid: 'A00000000' }), '/payments/0/aid'],
  ['an application id of other digits', card({ aid: 'G0000000031010' }), '/payments/0/aid'],
  ['an unknown entry mode', card({ entry_mode: 'telepathy' }), '/payments/0/entry_mode'],
  ['an unknown verification', card({ cvm: 'smile' }), '/payments/0/cvm'],
  ['a tip that is no number', card({ tip: '1' }), '/payments/0/tip'],
  ['a charge without an amount', { charges: [{ name: 'Delivery' }] }, '/charges/0/amount'],
  [
    'too many charges',
    { charges: Array.from({ length: 101 }, () => ({ name: 'c', amount: 0 })) },
    '/charges',
  ],
])('refuses %s', async (_what, overrides, path) => {
  const { status, body } = await retailer.api.post('/receipts', aReceipt(overrides));
  expect([status, body.errors?.map((fault: { path: string }) => fault.path)]).toEqual([422, [path]]);
});

it.each(['store', 'store credit', 'giftcard', 'voucher', 'Lastschrift'])(
  'takes a number that looks like a card’s from a payment that is none: %s',
  async (method) => {
    const payments = [{ method, amount: 12.5, number: '4539578763621486' }];
    const { status } = await retailer.api.post('/receipts', aReceipt({ payments }));
    expect([method, status]).toEqual([method, method === 'store' ? 422 : 201]);
  },
);
