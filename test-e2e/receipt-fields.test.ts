import type { TestRetailer } from './harness/client';
import { aReceipt } from './harness/receipts';
import { anonymous, aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;

beforeAll(async () => {
  retailer = await aRetailer({ response_links: true });
});

const fiscal = {
  // No rule checks the codes of this regime.
  regime: 'fr',
  device_id: 'TSE-1',
  number: '42',
  counter: 7,
  started: '2026-03-14T12:29:58+01:00',
  finished: '2026-03-14T12:30:01.5Z',
  signature: 'c2ln',
  certificate: 'Y2VydA==',
  qr: 'V0;till-1;Kassenbeleg-V1;a  b',
  texts: ['TSE-Seriennummer 0815'],
};
const full = {
  items: [{ name: 'Pen', quantity: 1, total: 10, gtin: '4006381333931', lot: 'L-1', serial: '=S-1' }],
  charges: [{ name: 'Service charge', amount: 2.5 }],
  payments: [
    {
      method: 'card',
      amount: 14,
      tip: 1.5,
      number: '1234',
      brand: 'Visa',
      entry_mode: 'chip',
      cvm: 'pin',
      authorization_code: 'A-1',
      terminal_id: 'T-1',
      merchant_id: 'M-1',
      aid: 'A0000000031010',
      arqc: 'AB12',
      rrn: '000042',
    },
  ],
  total: 12.5,
  fiscal,
};

it('returns what was posted, and null or empty lists for what was not', async () => {
  const { api } = retailer;
  const posted = await api.post('/receipts', aReceipt(full));
  expect(posted.status).toBe(201);
  const { body } = await api.get(`/receipts/${posted.body.id}`, { checks: 'true' });
  expect(body).toMatchObject({ ...full, charges: [{ ...full.charges[0], taxes: [] }], checks: [] });
  const items = [{ name: 'Pen', quantity: 1, total: 10 }];
  const payments = [{ method: 'cash', amount: 10 }];
  const plain = await api.post('/receipts', aReceipt({ items, payments, total: 10 }));
  expect((await api.get(`/receipts/${plain.body.id}`)).body).toMatchObject({
    fiscal: null,
    charges: [],
    payments: [{ tip: null }],
    items: [{ gtin: null, lot: null, serial: null }],
    store: { vatno: null, company: null },
  });
});

it.each([
  'fiscal:*',
  'fiscal.regime:fr',
  'fiscal.device_id:TSE-1',
  'fiscal.number:42',
  'items.gtin:4006381333931',
  'items.lot:L-1',
  'items.serial:"=S-1"',
  'payments.brand:Visa',
  'payments.authorization_code:A-1',
  'payments.terminal_id:T-1',
  'payments.rrn:000042',
  'payments.tip:1.5',
  'payments.tip:[1 TO 2]',
  'payments.tip:*',
  'charges:*',
  'charges.name:service',
  'charges.amount:2.5',
  'charges.amount:{2 TO *]',
])('finds the receipt by %s', async (query) => {
  const found = await retailer.api.get('/receipts/_search', { query });
  expect([found.status, found.body.hits]).toEqual([200, 1]);
});

it('refuses a GTIN with a wrong check digit', async () => {
  const items = [{ name: 'Pen', quantity: 1, total: 10, gtin: '4006381333932' }];
  const { status, body } = await retailer.api.post('/receipts', aReceipt({ items }));
  expect([status, body.code]).toEqual([422, 'invalid_gtin']);
  expect(body.errors).toMatchObject([{ path: '/items/0/gtin', code: 'invalid_gtin' }]);
});

it('shows them on the page and in the PDF, exports them, and adds up charges and tips', async () => {
  const shop = await aRetailer({ response_links: true });
  const { body } = await shop.api.post('/receipts', aReceipt(full));
  const anybody = await anonymous();
  const open = (href: string) =>
    anybody.get(new URL(href).pathname, undefined, { accept: '*/*', 'accept-language': 'en' });
  const page = (await open(body._links.webview.href)).bytes.toString();
  for (const text of [
    'Lot L-1',
    'GTIN 4006381333931',
    'Service charge',
    'Tip',
    'AID A0000000031010',
    'TSE-Seriennummer 0815',
  ]) {
    expect(page).toContain(text);
  }
  expect(page).toContain('class="fiscal"');
  expect((await open(body._links.pdf.href)).status).toBe(200);
  const range = { from: '2026-01-01', to: '2026-12-31' };
  const totals = await shop.api.get('/reports/totals', range);
  expect(totals.body.totals).toMatchObject([{ charges: 2.5, tips: 1.5 }]);
  const times = { from: '2026-01-01T00:00:00Z', to: '2026-12-31T00:00:00Z', format: 'csv' };
  const csv = (await shop.api.get('/receipts/export', times)).bytes.toString().split('\r\n');
  expect(csv[0]).toMatch(/,item_total,item_gtin,item_lot,item_serial$/);
  expect(csv[1]).toMatch(/,4006381333931,L-1,'=S-1$/);
});
