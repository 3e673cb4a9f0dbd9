import { until } from '@receipts/testing';
import type { Client, TestRetailer } from './harness/client';
import { request } from './harness/http';
import { aReceipt } from './harness/receipts';
import { aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;

beforeAll(async () => {
  retailer = await aRetailer({
    response_links: true,
    loyalty: [{ id: 1, name: 'five', rule: { spend: 10, value: 5, name: 'five' } }],
  });
});

const posted = async (overrides: Record<string, unknown> = {}) =>
  (await retailer.api.post('/receipts', aReceipt(overrides))).body as {
    id: string;
    _links: { webview: { href: string }; pdf: { href: string } };
  };

const voiding = (id: string, body?: unknown, client: Client = retailer.api, headers = {}) =>
  client.post(`/receipts/${id}/_void`, body, headers);

const found = async (query: string) => {
  const { body } = await retailer.api.get(`/receipts/_search?query=${encodeURIComponent(query)}`);
  return (body.receipts as { id: string }[]).map(({ id }) => id);
};

it('returns the receipt, which shows the void wherever it is read', async () => {
  const { id } = await posted();
  const before = (await retailer.api.get(`/receipts/${id}`)).body;
  expect(before.voided).toBeNull();
  const answer = await voiding(id, { reason: 'wrong customer', transaction_id: 'V-7' });
  expect(answer.status).toBe(200);
  const voided = { timestamp: expect.any(String) as string, reason: 'wrong customer', transaction_id: 'V-7' };
  expect(answer.body).toEqual({ ...before, voided });
  expect(answer.body.voided.timestamp).toMatch(/\+00:00$/);
  const read = await retailer.api.get(`/receipts/${id}`);
  expect([read.body, read.headers.etag]).toEqual([answer.body, answer.headers.etag]);
  expect((await retailer.api.get(`/receipts?id=${id}`)).body).toEqual([answer.body]);
  const v2 = await retailer.api.get(`/receipts?id=${id}`, {}, { 'service-api-version': '2' });
  expect(v2.body.receipts).toEqual([answer.body]);
});

it('changes nothing when repeated, and sets reason and transaction_id to null without a body', async () => {
  const { id } = await posted();
  const first = await voiding(id);
  expect([first.status, first.body.voided.reason, first.body.voided.transaction_id]).toEqual([
    200,
    null,
    null,
  ]);
  const second = await voiding(id, { reason: 'another' });
  expect([second.status, second.body]).toEqual([200, first.body]);
});

it.each([
  [{ reason: '' }, '/reason'],
  [{ reason: 'x'.repeat(256) }, '/reason'],
  [{ reason: 1 }, '/reason'],
  [{ transaction_id: '' }, '/transaction_id'],
  [{ cause: 'x' }, '/cause'],
])('rejects %j', async (body, path) => {
  const { id } = await posted();
  const answer = await voiding(id, body);
  expect([answer.status, answer.body.code]).toEqual([422, 'schema_validation_failed']);
  expect(answer.body.errors).toMatchObject([{ path }]);
  expect((await retailer.api.get(`/receipts/${id}`)).body.voided).toBeNull();
});

it('repeats the original response for a retry with the same Idempotency-Key', async () => {
  const { id } = await posted();
  const key = { 'idempotency-key': 'void once' };
  const first = await voiding(id, { reason: 'a' }, retailer.api, key);
  const again = await voiding(id, { reason: 'a' }, retailer.api, key);
  expect([again.status, again.headers['idempotent-replayed'], again.body]).toEqual([200, 'true', first.body]);
  const other = await voiding(id, { reason: 'b' }, retailer.api, key);
  expect([other.status, other.body.code]).toEqual([409, 'idempotency_mismatch']);
});

it('finds a receipt by its void', async () => {
  const { id } = await posted();
  const { id: plain } = await posted();
  const { body } = await voiding(id);
  expect(await found('voided:*')).toContain(id);
  expect(await found('voided:*')).not.toContain(plain);
  const day = (body.voided.timestamp as string).slice(0, 10);
  expect(await found(`voided.timestamp:[${day} TO *]`)).toContain(id);
});

it('removes the receipt from the summary, keeps its rewards and issues no further rewards', async () => {
  const identifier = 'void-summary@example.com';
  const { id } = await posted({ identifier, total: 12 });
  await posted({ identifier, total: 3 });
  const summary = async () => (await retailer.api.get(`/identifiers/${identifier}`)).body.summary;
  const rewards = async () =>
    (await retailer.api.get(`/loyalty/1/rewards?consumer=${identifier}`)).body as unknown[];
  await until('both receipts are counted', async () => (await summary())?.receipts === 2);
  expect(await summary()).toMatchObject({ receipts: 2, total: 15 });
  await until('the reward', async () => (await rewards()).length === 1);
  await voiding(id);
  await until('one receipt is left', async () => (await summary()).receipts === 1);
  expect(await summary()).toMatchObject({ receipts: 1, total: 3 });
  expect(await rewards()).toHaveLength(1);
});

it('prevents the receipt from being sent', async () => {
  const { id } = await posted({ identifier: 'jane@example.com' });
  await voiding(id);
  const answer = await retailer.api.post('/receipts/_send', { id, channels: ['email'] });
  expect([answer.status, answer.body.code]).toEqual([422, 'receipt_voided']);
});

it("marks the page as void in the reader's language, and keeps the PDF", async () => {
  const { id, _links } = await posted();
  const pageIn = async (lang: string) => {
    const { origin, pathname } = new URL(_links.webview.href);
    return (await request(origin, `${pathname}?lang=${lang}`)).bytes.toString();
  };
  expect(await pageIn('en')).not.toMatch(/<s>/);
  await voiding(id);
  for (const [lang, text] of [
    ['en', 'This receipt was voided.'],
    ['fr', 'Ce ticket a été annulé.'],
  ] as const) {
    const page = await pageIn(lang);
    expect(page).toContain(text);
    expect(page).toMatch(/<s>/);
  }
  const pdf = new URL(_links.pdf.href);
  expect((await request(pdf.origin, pdf.pathname)).status).toBe(200);
});

it('publishes an event', async () => {
  const from = (await retailer.api.get('/events?types=receipt.voided')).body._links.next.href as string;
  const { id } = await posted({ identifier: 'ann@example.com' });
  await voiding(id, { reason: 'x' });
  const { body } = await retailer.api.get(`${from}&wait=20`);
  expect(body.events).toMatchObject([
    {
      type: 'receipt.voided',
      subject: id,
      sequence: expect.anything() as unknown,
      data: { id, identifier: 'ann@example.com', voided: { reason: 'x', transaction_id: null } },
    },
  ]);
});

it("with a consumer's signature, voids only that consumer's receipts", async () => {
  const { id: mine } = await posted({ identifier: 'joe@example.com' });
  const { id: theirs } = await posted({ identifier: 'ann@example.com' });
  const joe = retailer.signed({ consumer: 'joe@example.com' });
  expect((await voiding(theirs, {}, joe)).status).toBe(404);
  expect((await voiding(mine, {}, joe)).status).toBe(200);
});

it('rejects unknown and deleted receipts, those of others, and a missing permission', async () => {
  const { id } = await posted();
  const other = await aRetailer();
  for (const answer of [await voiding('0'.repeat(24)), await voiding(id, {}, other.api)]) {
    expect([answer.status, answer.body.code]).toEqual([404, 'receipt_not_found']);
  }
  const patcher = await retailer.clientWith({ permissions: ['view.patch_receipt', 'view.delete_receipt'] });
  const refused = await voiding(id, {}, patcher);
  expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied']);
  const voider = await retailer.clientWith({ permissions: ['view.void_receipt'] });
  expect((await voiding(id, {}, voider)).status).toBe(200);
  await retailer.api.call(`/receipts/${id}`, { method: 'DELETE' });
  const gone = await voiding(id);
  expect([gone.status, gone.body.code]).toEqual([410, 'receipt_deleted']);
});
