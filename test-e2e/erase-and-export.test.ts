import { createHash } from 'node:crypto';
import { until } from '@receipts/testing';
import type { Client, TestRetailer } from './harness/client';
import { aReceipt, uniqueId } from './harness/receipts';
import { aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;

beforeAll(async () => {
  const rule = { spend: 100, value: 5, name: '5 off' };
  retailer = await aRetailer({ loyalty: [{ id: 1, name: 'Rewards', rule }] });
});

const pathOf = (identifier: string) => `/identifiers/${encodeURIComponent(identifier)}`;
const erase = (identifier: string, by: Client = retailer.api) =>
  by.call(`${pathOf(identifier)}/_erase`, { method: 'POST' });
const exported = (identifier: string, by: Client = retailer.api) => by.get(`${pathOf(identifier)}/export`);
const linesOf = (bytes: Buffer) =>
  bytes
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, any>);

/** A consumer with properties, receipts with a total of 60 each, and the resulting rewards. */
async function someone(count: number): Promise<{ identifier: string; ids: string[] }> {
  const identifier = `${uniqueId('jane')}@example.com`;
  const properties = { name: { first: 'Jane' }, 'opt-out': ['offers'] };
  expect((await retailer.api.post('/identifiers', { identifier, properties })).status).toBe(201);
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const receipt = aReceipt({ identifier, total: 60, properties: { email: identifier, till: 'left' } });
    ids.push((await retailer.api.post('/receipts', receipt)).body.id as string);
  }
  await until('the rewards', async () => {
    const { body } = await retailer.api.get('/loyalty/1/rewards', { consumer: identifier });
    return body.length === Math.floor((count * 60) / 100);
  });
  await until('the summary', async () => {
    const { body } = await retailer.api.get(`/identifiers/${identifier}`);
    return body.summary.receipts === count;
  });
  return { identifier, ids };
}

it('exports the identifier, its rewards and its receipts, one per line', async () => {
  const { identifier, ids } = await someone(3);
  const answer = await exported(identifier);
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/x-ndjson']);
  const [first, reward, ...receipts] = linesOf(answer.bytes);
  expect(first).toMatchObject({
    type: 'identifier',
    identifier: { identifier, properties: { name: { first: 'Jane' } }, summary: { receipts: 3, total: 180 } },
  });
  expect(reward).toMatchObject({ type: 'reward', program_id: 1, reward: { identifier, value: 5 } });
  expect(receipts.map(({ type, receipt }) => [type, receipt.id])).toEqual(ids.map((id) => ['receipt', id]));
  expect(answer.headers).not.toHaveProperty('link');
});

it('erases personal data within a minute, and keeps the figures of the receipts', async () => {
  const feed = await retailer.api.get('/events');
  const { identifier, ids } = await someone(2);
  const first = ids[0]!;
  expect(
    (await retailer.api.post(`/receipts/_send`, { id: first, channels: ['email'] })).status,
  ).toBeLessThan(300);
  const started = await erase(identifier);
  expect([started.status, started.bytes.length]).toEqual([202, 0]);
  await until('the erasure is complete', async () => (await erase(identifier)).status === 204);
  expect((await erase(identifier)).status).toBe(204);
  for (const answer of [await retailer.api.get(pathOf(identifier)), await exported(identifier)]) {
    expect([answer.status, answer.body.code]).toEqual([404, 'identifier_not_found']);
  }
  for (const id of ids) {
    const { status, body } = await retailer.api.get(`/receipts/${id}`);
    expect([status, body.identifier, body.total]).toEqual([200, null, 60]);
    expect(JSON.stringify(body)).not.toContain(identifier);
  }
  expect((await retailer.api.get('/loyalty/1/rewards', { consumer: identifier })).body).toEqual([]);
  const { deliveries } = (await retailer.api.get(`/receipts/${first}/deliveries`)).body;
  expect(deliveries).toMatchObject([{ channel: 'email', address: '***' }]);
  const erased = await until('the erasure is published', async () => {
    const { href } = feed.body._links.next;
    const { body } = await retailer.api.get(`${href}&types=identifier.erased`);
    return body.events.length > 0 && body.events;
  });
  const hash = createHash('sha256').update(identifier).digest('hex');
  expect(erased).toMatchObject([{ subject: hash, data: { identifier_sha256: hash } }]);
  expect(JSON.stringify(erased)).not.toContain(identifier);
  const namesNobody = async () => {
    const { events } = (await retailer.api.get(feed.body._links.next.href)).body;
    const types = events.map(({ type }: { type: string }) => type);
    return types.includes('receipt.created') && !JSON.stringify(events).includes(identifier);
  };
  await until('replayed events name nobody', namesNobody);
});

it('creates the identifier again for a later receipt', async () => {
  const { identifier } = await someone(1);
  await erase(identifier);
  await until('the erasure is complete', async () => (await erase(identifier)).status === 204);
  await retailer.api.post('/receipts', aReceipt({ identifier, total: 7 }));
  const body = await until('the identifier exists', async () => {
    const answer = await retailer.api.get(pathOf(identifier));
    return answer.status === 200 && answer.body.summary.total === 7 && answer.body;
  });
  expect(body.properties).toEqual({});
});

describe('errors and permissions', () => {
  it("returns 404 for an unknown identifier and for another retailer's", async () => {
    const { identifier } = await someone(1);
    const other = await aRetailer();
    for (const answer of [
      await erase(uniqueId('never')),
      await exported(uniqueId('never')),
      await erase(identifier, other.api),
      await exported(identifier, other.api),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([404, 'identifier_not_found']);
    }
    expect((await retailer.api.get(pathOf(identifier))).status).toBe(200);
  });

  it("gives a consumer's signature access to that consumer only", async () => {
    const { identifier } = await someone(1);
    const stranger = retailer.signed({ consumer: 'joe@example.com' });
    expect((await exported(identifier, stranger)).status).toBe(404);
    expect((await erase(identifier, stranger)).status).toBe(404);
    const self = retailer.signed({ consumer: identifier });
    expect((await exported(identifier, self)).status).toBe(200);
    expect((await erase(identifier, self)).status).toBe(202);
  });

  it('requires a separate permission for each', async () => {
    const { identifier } = await someone(1);
    const reader = await retailer.clientWith({
      permissions: ['view.get_identifier', 'view.patch_identifier'],
    });
    for (const answer of [await erase(identifier, reader), await exported(identifier, reader)]) {
      expect([answer.status, answer.body.code]).toEqual([403, 'permission_denied']);
    }
  });

  it('returns 406 for an export in another format, and 4xx for an invalid cursor', async () => {
    const { identifier } = await someone(1);
    const path = `${pathOf(identifier)}/export`;
    expect((await retailer.api.get(path, {}, { accept: 'application/pdf' })).status).toBe(406);
    const { status } = await retailer.api.get(path, { after: '-1' });
    expect(Math.floor(status / 100)).toBe(4);
  });
});
