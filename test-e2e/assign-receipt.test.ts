import { randomUUID } from 'node:crypto';
import type { Client, TestRetailer } from './harness/client';
import { aReceipt, uniqueId } from './harness/receipts';
import { aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;
let returning: Client;

beforeAll(async () => {
  retailer = await aRetailer();
  returning = await retailer.clientWith({
    permissions: ['view.*'],
    settings: { assign_returns_receipt: true },
  });
});

const posted = async (overrides: Record<string, unknown> = {}): Promise<string> =>
  (await retailer.api.post('/receipts', aReceipt(overrides))).body.id as string;
const identifierOf = async (id: string) => (await retailer.api.get(`/receipts/${id}`)).body.identifier;

it('assigns by id, transaction id and external id, and returns 204 by default', async () => {
  const transaction_id = uniqueId();
  const external_id = randomUUID();
  const ids = [await posted(), await posted({ transaction_id }), await posted({ external_id })];
  const names = [{ id: ids[0] }, { transaction_id }, { external_id: external_id.toUpperCase() }];
  for (const [n, named] of names.entries()) {
    const answer = await retailer.api.post('/receipts/_assign', {
      ...named,
      identifier: `joe${n}@example.com`,
    });
    expect([answer.status, answer.bytes.length]).toEqual([204, 0]);
    expect(await identifierOf(ids[n] as string)).toBe(`joe${n}@example.com`);
  }
});

it("returns 200 with the receipt if the client's settings require it", async () => {
  const id = await posted();
  const answer = await returning.post('/receipts/_assign', { id, identifier: 'joe@example.com' });
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual((await retailer.api.get(`/receipts/${id}`)).body);
});

it('succeeds for the same identifier again, and returns 422 receipt_already_assigned for another identifier', async () => {
  const id = await posted({ identifier: 'joe@example.com' });
  expect((await retailer.api.post('/receipts/_assign', { id, identifier: 'joe@example.com' })).status).toBe(
    204,
  );
  const other = await retailer.api.post('/receipts/_assign', { id, identifier: 'ann@example.com' });
  expect([other.status, other.body.code]).toEqual([422, 'receipt_already_assigned']);
  expect(await identifierOf(id)).toBe('joe@example.com');
});

it('treats the same Idempotency-Key as the same assignment, regardless of the response format', async () => {
  const id = await posted();
  const headers = { 'idempotency-key': uniqueId('key') };
  const again = (path: string) => returning.post(path, { id, identifier: 'joe@example.com' }, headers);
  expect((await again('/receipts/_assign')).status).toBe(200);
  const pretty = await again('/receipts/_assign?pretty=true');
  expect([pretty.status, pretty.headers['idempotent-replayed']]).toEqual([200, 'true']);
  expect(pretty.bytes.toString()).toContain('\n  "id": ');
});

it('assigns the receipt to one of two concurrent consumers', async () => {
  const id = await posted();
  const answers = await Promise.all(
    ['a@example.com', 'b@example.com'].map((identifier) =>
      retailer.api.post('/receipts/_assign', { id, identifier }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 422]);
});

it('returns 422 receipt_not_found for a receipt that does not exist', async () => {
  const other = await aRetailer();
  const foreign = await posted();
  for (const [client, named] of [
    [retailer.api, { id: '000000000000000000000000' }],
    [retailer.api, { transaction_id: 'nothing' }],
    [retailer.api, { external_id: randomUUID() }],
    [other.api, { id: foreign }],
  ] as const) {
    const answer = await client.post('/receipts/_assign', { ...named, identifier: 'x' });
    expect([answer.status, answer.body.code, answer.body.status]).toEqual([
      422,
      'receipt_not_found',
      'unprocessable entity',
    ]);
  }
});

it('requires the identifier to be among the values of consumer', async () => {
  const id = await posted();
  for (const client of [retailer.api, retailer.signed({ consumer: 'joe@example.com,4711' })]) {
    const query = client === retailer.api ? { consumer: 'joe@example.com,4711' } : {};
    const refused = await client.call('/receipts/_assign', {
      method: 'POST',
      query,
      body: { id, identifier: 'ann@example.com' },
    });
    expect([refused.status, refused.body.description, refused.body.code]).toEqual([
      403,
      "identifier and consumers don't match",
      'consumer_mismatch',
    ]);
    const accepted = await client.call('/receipts/_assign', {
      method: 'POST',
      query,
      body: { id, identifier: '4711' },
    });
    expect(accepted.status).toBe(204);
  }
});

it.each<[string, Record<string, unknown>]>([
  ['neither of the three', { identifier: 'x' }],
  ['id and transaction id', { id: 'a', transaction_id: 'b', identifier: 'x' }],
  ['id and external id', { id: 'a', external_id: '7d444840-9dc0-4a3c-b8d4-1f7c5d2d6b1a', identifier: 'x' }],
  ['no identifier', { id: 'a' }],
  ['an empty identifier', { id: 'a', identifier: '' }],
  ['an operator for an id', { id: { $ne: null }, identifier: 'x' }],
  ['an unknown key', { id: 'a', identifier: 'x', colour: 'red' }],
])('returns 422 for %s', async (_what, body) => {
  const answer = await retailer.api.post('/receipts/_assign', body);
  expect([answer.status, answer.body.code]).toEqual([422, 'schema_validation_failed']);
});

it('requires the permission', async () => {
  const reader = await retailer.clientWith({ permissions: ['view.get_receipt'] });
  expect((await reader.post('/receipts/_assign', { id: await posted(), identifier: 'x' })).status).toBe(403);
});
