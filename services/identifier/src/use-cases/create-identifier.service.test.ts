import { newId } from '@receipts/kernel';
import { until } from '@receipts/testing';
import { callOf, receiptEvent, refusalOf, startWorld, type World } from '../testing/world';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const create = (body: { identifier: string; properties?: Record<string, unknown> }, call = callOf('demo')) =>
  world.ask('createIdentifier', { body }, call);
const eventsOf = (identifier: string) => world.events.filter(({ subject }) => subject === identifier);

it('returns the identifier and publishes one event', async () => {
  const identifier = newId();
  const { body, meta } = await create({ identifier, properties: { city: 'Paris' } });
  expect(body).toMatchObject({ identifier, summary: {}, properties: { city: 'Paris' } });
  expect(meta).toEqual({ identifier, version: 1 });
  await until('the event was published', () => eventsOf(identifier).length > 0);
  expect(eventsOf(identifier)).toMatchObject([
    {
      type: 'identifier.created',
      retailer: 'demo',
      sequence: 1,
      data: { identifier, properties: { city: 'Paris' } },
    },
  ]);
  expect(eventsOf(identifier)[0]?.data).not.toHaveProperty('summary');
});

it('rejects an existing identifier, but only of the same retailer', async () => {
  const identifier = newId();
  await create({ identifier });
  expect(await refusalOf(create({ identifier }))).toBe('409 identifier_exists');
  expect(await refusalOf(create({ identifier }, callOf('other')))).toBe('no refusal');
});

it('finds the identifier when a request is retried after a crash', async () => {
  const identifier = newId();
  const idempotencyKey = newId();
  const call = callOf('demo', { idempotencyKey });
  const first = await create({ identifier }, call);
  await world.database.db
    .collection('idempotency')
    .updateOne(
      { callId: call.id },
      { $set: { state: 'running', leaseUntil: new Date(0) }, $unset: { body: '', meta: '' } },
    );
  const again = await create({ identifier }, { ...call, id: newId() });
  expect(again.body).toEqual(first.body);
  expect(eventsOf(identifier).every(({ id }) => id === eventsOf(identifier)[0]?.id)).toBe(true);
});

it('includes existing receipts in the response', async () => {
  const identifier = newId();
  // The contribution is stored before the identifier is created: a request may arrive in between.
  await world.deliver(receiptEvent('demo', 2, { id: newId(), identifier: null }));
  await world.database.db
    .collection('receipt_contributions')
    .updateOne({ retailer: 'demo', identifier: null }, { $set: { identifier } });
  expect((await create({ identifier })).body.summary).toMatchObject({ receipts: 1, total: 10 });
});

it('stores a body of the maximum size, with its event', async () => {
  const identifier = newId();
  const properties = { note: 'x'.repeat(4 * 1024 * 1024) };
  expect((await create({ identifier, properties })).body).toMatchObject({ identifier, properties });
});
