import { until } from '@receipts/testing';
import type { Client, TestRetailer } from './harness/client';
import { anonymous, aRetailer, operator } from './harness/shared-platform';

let api: Client;
let retailer: TestRetailer;

beforeAll(async () => {
  [api, retailer] = await Promise.all([operator(), aRetailer()]);
});

const actions = async (query: Record<string, string> = {}) =>
  (await api.get('/operator/audit', { retailer: retailer.id, ...query })).body.actions as Record<
    string,
    unknown
  >[];
/** The outcome of an action is recorded after its response. */
const ended = (operation: string) =>
  until(
    operation,
    async () => (await actions()).find((each) => each['operation'] === operation && each['status'] !== null),
    60_000,
  );

it('lists changes to a retailer, with the operator, time and result', async () => {
  const before = Date.now();
  const answer = await api.call(`/operator/retailers/${retailer.id}`, {
    method: 'PATCH',
    body: [{ op: 'replace', path: '/settings/timezone', value: 'Asia/Tokyo' }],
    headers: { 'content-type': 'application/json-patch+json', 'service-operator': 'ann' },
  });
  expect(answer.status).toBe(200);
  const entry = await ended('patch-retailer');
  expect(entry).toMatchObject({
    operator: 'ann',
    method: 'PATCH',
    path: `/operator/retailers/${retailer.id}`,
    retailer: retailer.id,
    fields: ['replace /settings/timezone'],
    status: 200,
    request_id: answer.headers['request-id'],
  });
  expect(Date.parse(entry['timestamp'] as string)).toBeGreaterThan(before - 60_000);
});

it('lists actions in other services, and rejected actions, without values', async () => {
  const cards = [{ card_number: '4539578763621486', registration_code: '314159' }];
  await api.call(`/operator/retailers/${retailer.id}/cards`, { method: 'PUT', body: cards });
  expect((await ended('import-cards'))['status']).toBe(200);
  const refused = await api.post(`/operator/retailers/${retailer.id}/subscriptions`, { name: 'NO' });
  expect(refused.status).toBe(422);
  const text = JSON.stringify(await actions());
  expect(text).not.toContain('314159');
  expect(text).not.toContain(retailer.bearer.secret);
});

it('is paginated, newest first', async () => {
  const all = (await actions()).map(({ id }) => id);
  expect(all.length).toBeGreaterThanOrEqual(3);
  const paged: unknown[] = [];
  for (
    let path: string | undefined = `/operator/audit?count=1&retailer=${retailer.id}`;
    path !== undefined;
  ) {
    const { body } = await api.get(path);
    paged.push(...body.actions.map(({ id }: { id: string }) => id));
    path = body._links.next?.href as string | undefined;
  }
  expect(paged).toEqual(all);
  expect((await api.get('/operator/audit', { older: 'x' })).body.code).toBe('unknown_cursor');
});

it('is available to the operator only', async () => {
  expect((await (await anonymous()).get('/operator/audit')).status).toBe(401);
  expect((await retailer.api.get('/operator/audit')).status).toBe(403);
});
