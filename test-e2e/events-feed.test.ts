import type { TestRetailer } from './harness/client';
import type { HttpResponse } from './harness/http';
import { until } from '@receipts/testing';
import { aReceipt } from './harness/receipts';
import { anonymous, aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;

beforeAll(async () => {
  retailer = await aRetailer();
});

const post = async () => (await retailer.api.post('/receipts', aReceipt())).body.id as string;
const next = (answer: HttpResponse) => answer.body._links.next.href as string;
const expectError = (answer: HttpResponse, status: number, code: string) =>
  expect([answer.status, answer.body.code]).toEqual([status, code]);

/** Follows the feed until this many receipts have arrived. */
async function follow(start: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let href = start; ids.length < count;) {
    const answer = await retailer.api.get(href);
    expect(answer.status).toBe(200);
    ids.push(...answer.body.events.map(({ subject }: { subject: string }) => subject));
    href = next(answer);
  }
  return ids;
}

it('starts at the present, and returns every event once to a reader that follows `next`', async () => {
  const start = await retailer.api.get('/events', { types: 'receipt.created', count: 7 });
  expect([start.status, start.body.events]).toEqual([200, []]);
  const posted = await Promise.all(Array.from({ length: 40 }, post));
  const seen = await follow(next(start), posted.length);
  expect([...seen].sort()).toEqual([...posted].sort());
});

it('returns CloudEvents, and waits for them', async () => {
  const start = await retailer.api.get('/events', { types: 'receipt.*' });
  const waiting = retailer.api.get(next(start), { wait: 15 });
  const id = await post();
  const { body, status } = await waiting;
  expect(status).toBe(200);
  expect(body.events[0]).toMatchObject({
    specversion: '1.0',
    type: 'receipt.created',
    subject: id,
    source: `/retailers/${retailer.id}/receipts`,
    data: { id, receipt: { id } },
  });
  expect(body.events[0].retailer).toBe(retailer.id);
});

it("keeps the request's trace in later events, whose times end with +00:00", async () => {
  const { api } = await aRetailer();
  const awaited = new Set(['delivery.sent', 'identifier.erased']);
  let href = next(await api.get('/events', { types: [...awaited].join(','), wait: 1 }));
  const trace = 'ab'.repeat(16);
  const headers = { traceparent: `00-${trace}-${'cd'.repeat(8)}-01` };
  const { id } = (await api.post('/receipts', aReceipt({ identifier: 'jane@example.com' }))).body;
  await api.post('/receipts/_send', { id, channels: ['email'] }, headers);
  await api.post('/identifiers', { identifier: 'joe' });
  await api.post('/identifiers/joe/_erase', undefined, headers);
  for (const deadline = Date.now() + 90_000; awaited.size > 0 && Date.now() < deadline;) {
    const answer = await api.get(href);
    for (const { type, traceparent, time } of answer.body.events) {
      expect([type, traceparent.split('-')[1]]).toEqual([type, trace]);
      expect(time).toMatch(/\+00:00$/);
      awaited.delete(type);
    }
    href = next(answer);
  }
  expect([...awaited]).toEqual([]);
});

it('returns an empty list if no event occurs during the wait', async () => {
  const other = (await aRetailer()).api;
  let answer = await other.get('/events');
  let path = `${next(answer)}&wait=1`;
  let tookMs = 0;
  // Events from setting up the retailer may come first.
  await until('nothing to happen', async () => {
    const began = Date.now();
    answer = await other.get(path);
    tookMs = Date.now() - began;
    expect(answer.status).toBe(200);
    path = next(answer);
    return answer.body.events.length === 0;
  });
  expect(tookMs).toBeGreaterThanOrEqual(900);
});

it.each([
  ['after', 'x', 'unknown_cursor'],
  ['after', '', 'invalid_parameter'],
  ['types', 'fax.*', 'invalid_parameter'],
  ['types', ',', 'invalid_parameter'],
  ['wait', '31', 'invalid_parameter'],
  ['wait', '-1', 'invalid_parameter'],
  ['count', '0', 'invalid_parameter'],
  ['count', '101', 'invalid_parameter'],
  ['colour', 'red', 'invalid_parameter'],
])('returns 400 for %s=%s', async (name, value, code) => {
  expectError(await retailer.api.get('/events', { [name]: value }), 400, code);
});

it('returns 410 for a cursor of another recording', async () => {
  expectError(await retailer.api.get('/events', { after: `${'0'.repeat(24)}-1` }), 410, 'cursor_expired');
});

it('requires the permission get_events, and rejects a signature with a consumer', async () => {
  const weak = await retailer.clientWith({ permissions: ['view.get_receipt'] });
  expectError(await weak.get('/events'), 403, 'permission_denied');
  expectError(await retailer.signed({ consumer: 'jane' }).get('/events'), 403, 'consumer_mismatch');
  expectError(await (await anonymous()).get('/events'), 401, 'unauthorized');
});
