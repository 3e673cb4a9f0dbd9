import { adminEvents, type RetailerSettings } from '@receipts/contracts';
import { eventOf, newId } from '@receipts/kernel';
import { readEvent } from '@receipts/testing';
import { startReceiver, type Receiver } from '../../testing/receiver';
import { callOf, createdEvent, receiptOf, retailerOf } from '../../testing/samples';
import { startWorld, type World } from '../../testing/world';

let world: World;
let receiver: Receiver;
let retailer: string;

beforeAll(async () => {
  world = await startWorld();
});
beforeEach(async () => {
  retailer = `r-${newId()}`;
  world.now = new Date();
  receiver = await startReceiver();
  set({ colour: 'exact' });
});
afterEach(() => receiver.close());
afterAll(() => world.close());

type Fields = RetailerSettings['dynamic_fields']['receipt'];
const none: Fields = {};
const fieldsOf = (receipt: Fields) => ({ receipt, item: none });

/** Changes the settings at admin. */
function set(receipt: Fields, version = 1): void {
  const changed = retailerOf(retailer, { dynamic_fields: fieldsOf(receipt) });
  world.retailers.set(retailer, { ...changed, version });
}
/** The event that tells this service about the change. */
const updated = () => {
  const data = world.retailers.get(retailer)!;
  const facts = { subject: retailer, sequence: data.version, data };
  return readEvent(eventOf(adminEvents.retailerUpdated, facts, callOf(retailer), world.now));
};
const create = async (body: object = {}) =>
  (await world.ask('createWebhookEndpoint', { body: { url: receiver.url, ...body } }, callOf(retailer))).body;
const endpoint = async (id: string) =>
  (await world.ask('getWebhookEndpoint', { params: { id } }, callOf(retailer))).body;
const disabled = { enabled: false, disabled_reason: 'invalid_filter' };
const disabledEvents = () =>
  world.events
    .filter((event) => event.retailer === retailer && event.type.startsWith('webhook.'))
    .map(({ type, subject, data }) => ({ type, subject, ...(data as object) }));

it('finds the filters that a change makes invalid, of enabled and disabled endpoints', async () => {
  const [used, off] = [
    await create({ filter: 'dynamic.colour:red' }),
    await create({ filter: 'dynamic.colour:*' }),
  ];
  await world.ask(
    'patchWebhookEndpoint',
    {
      params: { id: off.id },
      headers: {},
      body: { enabled: false },
      contentType: 'application/json',
    } as never,
    callOf(retailer),
  );
  await create({ filter: 'total:1' });
  await create();
  const find = async (after: Fields) => {
    const body = { before: fieldsOf({ colour: 'exact' }), after: fieldsOf(after) };
    return (await world.ask('findInvalidatedFilters', { body }, callOf(retailer))).body.endpoints;
  };
  expect(await find(none)).toEqual([used.id, off.id].sort());
  expect(await find({ colour: 'partial' })).toEqual([]);
  expect(await find({ colour: 'integer' })).toEqual([used.id]);
});

it('disables the endpoints of invalid filters once the settings have changed, with both events, once', async () => {
  const filter = 'dynamic.colour:red';
  const { id } = await create({ filter, description: 'Red' });
  const other = await create({ filter: 'total:12.4' });
  set(none, 2);
  await world.deliver(updated());
  await world.deliver(updated());
  expect(await endpoint(id)).toMatchObject(disabled);
  expect(await endpoint(other.id)).toMatchObject({ enabled: true, disabled_reason: null });
  await world.until('both events are published', () => disabledEvents().length >= 2);
  const facts = { subject: id, id, description: 'Red' };
  expect(disabledEvents()).toEqual([
    { ...facts, type: 'webhook.endpoint_disabled', reason: 'invalid_filter', failing_since: null },
    { ...facts, type: 'webhook.disabled', disabled_reason: 'invalid_filter', filter },
  ]);
});

it('does not stop other endpoints, even if the change was not heard of', async () => {
  const stale = await create({ filter: 'dynamic.colour:red' });
  const valid = await create({ filter: 'total:[1 TO *]' });
  const plain = await create();
  // Settings that this process has not received as an event are as if it had just started.
  set(none, 2);
  world.reconnect();
  const event = createdEvent(retailer, receiptOf({ total: 12 }));
  expect(await world.deliver({ ...event, time: world.now.toISOString() })).toEqual([undefined]);
  await world.until('both are delivered', () => receiver.received.length === 2);
  expect(await endpoint(stale.id)).toMatchObject(disabled);
  for (const { id } of [valid, plain]) expect(await endpoint(id)).toMatchObject({ enabled: true });
});

it('does not disable an endpoint whose filter uses a field that is not known here yet', async () => {
  await create();
  await world.deliver({ ...createdEvent(retailer, receiptOf()), time: world.now.toISOString() });
  set({ colour: 'exact', size: 'integer' }, 2);
  const { db } = world.database;
  const { id } = await create({ filter: 'total:[1 TO *]' });
  await db
    .collection<{ _id: string }>('webhook_endpoints')
    .updateOne({ _id: id }, { $set: { 'settings.filter': '+dynamic.size:5' } });
  const event = createdEvent(retailer, receiptOf({ dynamic: { size: 5 } }));
  await world.deliver({ ...event, time: world.now.toISOString() });
  const ofEndpoint = { endpointId: id };
  await world.until(
    'the event is delivered',
    async () => (await db.collection('webhook_deliveries').countDocuments(ofEndpoint)) === 1,
  );
  expect(await endpoint(id)).toMatchObject({ enabled: true });
});

it('accepts the endpoint again once its filter is corrected', async () => {
  const { id } = await create({ filter: 'dynamic.colour:red' });
  set(none, 2);
  await world.deliver(updated());
  const patch = (body: object) =>
    world.ask(
      'patchWebhookEndpoint',
      { params: { id }, headers: {}, body, contentType: 'application/json' } as never,
      callOf(retailer),
    );
  await expect(patch({ enabled: true })).rejects.toMatchObject({ status: 422 });
  await patch({ enabled: true, filter: 'total:12' });
  expect(await endpoint(id)).toMatchObject({ enabled: true, disabled_reason: null });
});
