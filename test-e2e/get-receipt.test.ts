import type { TestRetailer } from './harness/client';
import { aReceipt } from './harness/receipts';
import { aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;

beforeAll(async () => {
  retailer = await aRetailer();
});

const posted = async (overrides: Record<string, unknown> = {}): Promise<string> =>
  (await retailer.api.post('/receipts', aReceipt(overrides))).body.id as string;

it('returns the receipt, with an ETag', async () => {
  const answer = await retailer.api.get(`/receipts/${await posted()}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.etag).toMatch(/^"[^"]+"$/);
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
});

it.each(['000000000000000000000000', 'nonsense', '%20', "' or 1=1", 'x'.repeat(500)])(
  'returns 404 for an unknown id (%s)',
  async (id) => {
    const answer = await retailer.api.get(`/receipts/${encodeURIComponent(id)}`);
    expect([answer.status, answer.body.code, answer.body.status]).toEqual([
      404,
      'receipt_not_found',
      'not found',
    ]);
  },
);

it("returns the same 404 for another retailer's receipt as for a missing one", async () => {
  const other = await aRetailer();
  const id = await posted();
  const foreign = await other.api.get(`/receipts/${id}`);
  const missing = await other.api.get('/receipts/000000000000000000000001');
  expect(foreign.status).toBe(404);
  const { request_id: _a, ...foreignBody } = foreign.body;
  const { request_id: _b, ...missingBody } = missing.body;
  expect(foreignBody).toEqual(missingBody);
});

it('with a consumer’s signature, returns only that consumer’s receipts', async () => {
  const mine = await posted({ identifier: 'joe@example.com' });
  const theirs = await posted({ identifier: 'ann@example.com' });
  const nobodys = await posted();
  const joe = retailer.signed({ consumer: 'joe@example.com,4711' });
  expect((await joe.get(`/receipts/${mine}`)).status).toBe(200);
  for (const id of [theirs, nobodys]) {
    const answer = await joe.get(`/receipts/${id}`);
    expect([answer.status, answer.body.code]).toEqual([404, 'receipt_not_found']);
  }
});

it('indents the same data with pretty=true', async () => {
  const id = await posted();
  const plain = await retailer.api.get(`/receipts/${id}`);
  const pretty = await retailer.api.get(`/receipts/${id}`, { pretty: true });
  expect(pretty.body).toEqual(plain.body);
  expect(pretty.bytes.toString()).toContain('\n  "');
  expect(plain.bytes.toString()).not.toContain('\n');
  expect((await retailer.api.get(`/receipts/${id}`, { pretty: 'maybe' })).status).toBe(400);
});
