import { until } from '@receipts/testing';
import type { TestRetailer } from './harness/client';
import { mailsTo } from './harness/mails';
import { aReceipt, uniqueId } from './harness/receipts';
import { anonymous, aRetailer } from './harness/shared-platform';

const card = '4539578763621486';
const gift = '6006491234567890123';

let retailer: TestRetailer;

beforeAll(async () => {
  retailer = await aRetailer({ response_links: true });
});

it('shows the last four digits of a gift card, and returns its whole number only through the API', async () => {
  const payments = [{ method: 'giftcard', amount: 12.5, details: { number: gift, balance: 3 } }];
  const email = `${uniqueId('gift')}@example.com`;
  const { body } = await retailer.api.post('/receipts', aReceipt({ payments, properties: { email } }));
  expect((await retailer.api.get(`/receipts/${body.id}`)).body.payments).toMatchObject(payments);

  const { pathname } = new URL(body._links.webview.href);
  const page = await (await anonymous()).get(pathname, undefined, { accept: 'text/html' });
  expect(page.bytes.toString()).toContain('•••• 0123');
  expect(page.bytes.toString()).not.toContain(gift);
  const sent = await retailer.api.post('/receipts/_send', { id: body.id, channels: ['email'] });
  expect(sent.status).toBe(202);
  const mail = await until('the e-mail', () => mailsTo(email)[0]);
  expect(mail).toContain('0123');
  expect(mail).not.toContain(gift);
});

it('refuses the number of a card in raw receipts and batches, and does not repeat it', async () => {
  const payments = [{ method: 'Visa', amount: 12.5, number: card }];
  const receipt = aReceipt({ payments });
  const batch = await retailer.api.post('/receipts/_batch', { receipts: [receipt] });
  expect(batch.body.results).toMatchObject([{ status: 422, code: 'card_number_too_long' }]);
  expect(batch.bytes.toString()).not.toContain(card);

  await retailer.api.post('/pos/mappings', {
    id: 'cards',
    match: {},
    decode: { type: 'json' },
    transform: { language: 'jsonata', expression: 'doc' },
  });
  await retailer.api.call('/pos/mappings/cards/_activate', { method: 'POST' });
  const posted = await retailer.api.call('/pos/receipts', {
    method: 'POST',
    body: JSON.stringify(receipt),
    headers: { 'content-type': 'application/json' },
  });
  const id = String(posted.headers.location).split('/').pop();
  const packet = await until('the end of the packet', async () => {
    const found = await retailer.api.get(`/pos/packets/${id}`);
    return found.status === 200 && found.body.status !== 'accepted' && found;
  });
  expect(packet.body).toMatchObject({
    status: 'failed',
    reason: 'invalid_receipt',
    errors: [{ path: expect.stringMatching(/\/payments\/0\/number$/), code: 'card_number_too_long' }],
  });
  expect(packet.bytes.toString()).not.toContain(card);
});
