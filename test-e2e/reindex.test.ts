import { until } from '@receipts/testing';
import { aReceipt } from './harness/receipts';
import { aRetailer, operator } from './harness/shared-platform';

const till = { receipt: { till: 'exact' }, item: {} };

it('receipts from before a dynamic field was declared are found by it after a reindex', async () => {
  const [retailer, asOperator] = await Promise.all([aRetailer(), operator()]);
  for (const name of ['T1', 'T2', 'T1']) {
    expect((await retailer.api.post('/receipts', aReceipt({ dynamic: { till: name } }))).status).toBe(201);
  }
  const change = [{ op: 'replace', path: '/settings/dynamic_fields', value: till }];
  expect((await asOperator.patch(`/operator/retailers/${retailer.id}`, change)).status).toBe(200);
  const hits = async () =>
    (await retailer.api.get('/receipts/_search', { query: 'dynamic.till:T1' })).body.hits as number;
  await until('the field is known', async () => (await hits()) === 0);

  const address = `/operator/retailers/${retailer.id}/receipts/_reindex`;
  const first = await asOperator.post(address, { count: 2 });
  expect([first.status, first.body]).toEqual([200, { examined: 2, changed: 2, next: 2 }]);
  expect((await asOperator.post(address, { after: 2 })).body).toEqual({
    examined: 1,
    changed: 1,
    next: null,
  });
  expect(await hits()).toBe(2);
  expect((await asOperator.post(address, {})).body).toEqual({ examined: 3, changed: 0, next: null });

  expect((await retailer.api.post(address, {})).status).toBe(403);
  expect((await asOperator.post('/operator/retailers/no-such/receipts/_reindex', {})).status).toBe(404);
  expect((await asOperator.post(address, { count: 0 })).status).toBe(422);
});
