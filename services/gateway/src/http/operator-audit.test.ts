import { defineCommand, defineQuery, json, notFound, ServiceError } from '@receipts/kernel';
import { z } from 'zod';
import { namedOperatorToken, operatorToken, startHarness, type Harness } from '../testing/harness';

const params = z.object({ id: z.string() });
const route = { path: '/operator/retailers/{id}/things', access: 'operator' } as const;
const contracts = {
  change: defineCommand({
    name: 'things.change-thing',
    summary: 'Change',
    description: 'Changes.',
    http: { ...route, method: 'POST', success: 201 },
    params,
    body: json(z.object({ name: z.string(), secret: z.string() })),
  }),
  look: defineQuery({
    name: 'things.look-at-things',
    summary: 'Look',
    description: 'Looks.',
    http: { ...route, method: 'GET', success: 200 },
    params,
    output: z.object({}),
  }),
};

let gateway: Harness;

beforeEach(async () => {
  gateway = await startHarness({ contracts: [contracts as never] });
});
afterEach(() => gateway.close());

const authorization = { authorization: `Bearer ${operatorToken}` };
const url = () => `${gateway.url}/operator/retailers/demo/things`;
const change = (headers: object = {}) =>
  fetch(url(), {
    method: 'POST',
    headers: { ...authorization, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ name: 'n', secret: 'hidden' }),
  });
/** The recorded actions and the requests to the owner, in order. */
const received = () =>
  gateway.broker.received.map(({ name, request }) =>
    name === 'admin.record-operator-action'
      ? (JSON.parse(request.body.toString()) as Record<string, unknown>)
      : name,
  );

it('records an action before it starts, and its result, without its content', async () => {
  expect((await change({ 'service-operator': 'ann' })).status).toBe(201);
  const begun = {
    operator: 'ann',
    address: '127.0.0.1',
    operation: 'change-thing',
    method: 'POST',
    path: '/operator/retailers/demo/things',
    retailer: 'demo',
    fields: ['name', 'secret'],
  };
  const [first, second, third] = received();
  expect(first).toMatchObject(begun);
  expect(first).not.toHaveProperty('status');
  expect(second).toBe('things.change-thing');
  expect(third).toEqual({ ...(first as object), status: 201 });
  expect(JSON.stringify(received())).not.toContain('hidden');
});

it('names the operator to whom the token belongs, whatever name is sent', async () => {
  const headers = { authorization: `Bearer ${namedOperatorToken}`, 'service-operator': 'bob' };
  expect((await change(headers)).status).toBe(201);
  expect(received()[0]).toMatchObject({ operator: 'ann' });
});

it('records rejected actions', async () => {
  gateway.broker.answer = () => {
    throw new ServiceError(notFound);
  };
  expect((await change()).status).toBe(404);
  expect(received().at(-1)).toMatchObject({ operator: 'operator', status: 404 });
});

it('rejects actions that it cannot record', async () => {
  gateway.broker.send = () => Promise.reject(new Error('the broker did not confirm'));
  expect((await change()).status).toBe(500);
  expect(received()).toEqual([]);
});

it('records neither reads nor rejected credentials', async () => {
  gateway.broker.answer = () => ({ body: Buffer.from('{}') });
  expect((await fetch(url(), { headers: authorization })).status).toBe(200);
  expect((await change({ authorization: 'Bearer x' })).status).toBe(401);
  expect(received()).toEqual(['things.look-at-things']);
});
