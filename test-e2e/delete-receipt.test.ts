import type { Client, TestRetailer } from './harness/client';
import { aReceipt } from './harness/receipts';
import { aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;

beforeAll(async () => {
  retailer = await aRetailer();
});

const posted = async (overrides: Record<string, unknown> = {}): Promise<string> =>
  (await retailer.api.post('/receipts', aReceipt(overrides))).body.id as string;

const remove = (id: string, client: Client = retailer.api) =>
  client.call(`/receipts/${id}`, { method: 'DELETE' });

it('returns 204, even when repeated; the receipt then returns 410 and is in no list or search', async () => {
  const body = aReceipt({ identifier: 'jane@example.com' });
  const id = (await retailer.api.post('/receipts', body)).body.id as string;
  for (let n = 0; n < 2; n++) {
    const answer = await remove(id);
    expect([answer.status, answer.bytes.length]).toEqual([204, 0]);
  }
  const { status, body: gone } = await retailer.api.get(`/receipts/${id}`);
  expect([status, gone.code, gone.status]).toEqual([410, 'receipt_deleted', 'gone']);
  const { transaction_id } = body as { transaction_id: string };
  const list = await retailer.api.get(`/receipts?transaction_id=${transaction_id}`);
  expect(list.body).toEqual([]);
  const query = encodeURIComponent(`transaction_id:${transaction_id}`);
  expect((await retailer.api.get(`/receipts/_search?query=${query}`)).body.hits).toBe(0);
});

it('deletes only the version that If-Match names', async () => {
  const id = await posted();
  const { etag } = (await retailer.api.get(`/receipts/${id}`)).headers as { etag: string };
  const withTag = (tag: string) =>
    retailer.api.call(`/receipts/${id}`, { method: 'DELETE', headers: { 'if-match': tag } });
  const refused = await withTag('"999"');
  expect([refused.status, refused.body.code]).toEqual([412, 'precondition_failed']);
  expect((await retailer.api.get(`/receipts/${id}`)).status).toBe(200);
  expect([(await withTag(etag)).status, (await withTag(etag)).status]).toEqual([204, 204]);
});

it('does not release the transaction id', async () => {
  const body = aReceipt();
  const id = (await retailer.api.post('/receipts', body)).body.id as string;
  await remove(id);
  const again = await retailer.api.post('/receipts', body);
  expect([again.status, again.body.code, again.body.id]).toEqual([409, 'duplicate_transaction_id', id]);
});

it("returns 404 for an unknown receipt and for another retailer's", async () => {
  const other = await aRetailer();
  const id = await posted();
  for (const answer of [await remove('000000000000000000000000'), await remove(id, other.api)]) {
    expect([answer.status, answer.body.code]).toEqual([404, 'receipt_not_found']);
  }
  expect((await retailer.api.get(`/receipts/${id}`)).status).toBe(200);
});

it("with a consumer's signature, deletes only that consumer's receipts", async () => {
  const mine = await posted({ identifier: 'joe@example.com' });
  const theirs = await posted({ identifier: 'ann@example.com' });
  const joe = retailer.signed({ consumer: 'joe@example.com' });
  expect((await remove(theirs, joe)).status).toBe(404);
  expect((await remove(mine, joe)).status).toBe(204);
  expect((await retailer.api.get(`/receipts/${theirs}`)).status).toBe(200);
  expect((await retailer.api.get(`/receipts/${mine}`)).status).toBe(410);
});

it('requires a separate permission', async () => {
  const id = await posted();
  const reader = await retailer.clientWith({ permissions: ['view.get_receipt', 'view.patch_receipt'] });
  const answer = await remove(id, reader);
  expect([answer.status, answer.body.code]).toEqual([403, 'permission_denied']);
  const cleaner = await retailer.clientWith({ permissions: ['view.delete_receipt'] });
  expect((await remove(id, cleaner)).status).toBe(204);
});
