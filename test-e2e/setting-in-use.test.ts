import { until } from '@receipts/testing';
import type { TestRetailer } from './harness/client';
import { aReceipt } from './harness/receipts';
import { aRetailer, operator } from './harness/shared-platform';

let retailer: TestRetailer;
let api: Awaited<ReturnType<typeof operator>>;

beforeAll(async () => {
  [retailer, api] = await Promise.all([aRetailer(), operator()]);
});

const mergePatch = { 'content-type': 'application/merge-patch+json' };
const set = (receipt: object | null, query = '') =>
  api.call(`/operator/retailers/${retailer.id}${query}`, {
    method: 'PATCH',
    headers: mergePatch,
    body: JSON.stringify({ settings: { dynamic_fields: { receipt } } }),
  });
const url = 'http://127.0.0.1:9/hook';
const endpoint = async (id: string) => (await retailer.api.get(`/webhooks/endpoints/${id}`)).body;
const deliveriesOf = async (id: string) =>
  (await retailer.api.get(`/webhooks/endpoints/${id}/deliveries`)).body.deliveries as unknown[];

it('is not changed while a filter needs it, unless forced, and other endpoints go on', async () => {
  expect((await set({ colour: 'exact' })).status).toBe(200);
  const create = async (filter: string) => {
    const body = { url, event_types: ['receipt.created', 'webhook.disabled'], filter };
    const created = await until('the setting is known', async () => {
      const answer = await retailer.api.post('/webhooks/endpoints', body);
      return answer.status === 201 ? answer : undefined;
    });
    return created.body.id as string;
  };
  const stale = await create('dynamic.colour:red');
  const other = await create('total:[0 TO *]');
  const { _links } = (await retailer.api.get('/events')).body;

  const refused = await set(null);
  expect([refused.status, refused.body.code]).toEqual([409, 'setting_in_use']);
  expect(refused.body.used_by).toEqual([{ type: 'webhook_endpoint', id: stale }]);
  expect((await set(null, '?force=perhaps')).status).toBe(400);
  expect(await endpoint(stale)).toMatchObject({ enabled: true, disabled_reason: null });

  expect((await set(null, '?force=true')).status).toBe(200);
  await until('the endpoint is disabled', async () => (await endpoint(stale)).enabled === false);
  expect(await endpoint(stale)).toMatchObject({ disabled_reason: 'invalid_filter' });
  expect(await endpoint(other)).toMatchObject({ enabled: true });
  const told = await until('the event is there', async () => {
    const { events } = (await retailer.api.get(_links.next.href)).body;
    return (events as { type: string; data: unknown }[]).find(({ type }) => type === 'webhook.disabled');
  });
  expect(told.data).toMatchObject({ id: stale, disabled_reason: 'invalid_filter' });
  const before = (await deliveriesOf(other)).length;
  expect((await retailer.api.post('/receipts', aReceipt())).status).toBe(201);
  await until('the other endpoint is attempted', async () => (await deliveriesOf(other)).length > before);
});
