import { newId, ServiceError, unavailable, type CloudEvent } from '@receipts/kernel';
import type { CursorDocument } from '@receipts/storage';
import { startReceiver, type Receiver } from '../../testing/receiver';
import { callOf, createdEvent, receiptOf, retailerOf } from '../../testing/samples';
import { startWorld, type World } from '../../testing/world';
import { lateEventMaxMs } from './catch-up-events';

let world: World;
let receiver: Receiver;
let retailer: string;

beforeAll(async () => {
  world = await startWorld();
  receiver = await startReceiver();
});
beforeEach(() => {
  retailer = `r-${newId()}`;
  world.retailers.clear();
  world.retailers.set(retailer, retailerOf(retailer));
  world.now = new Date();
  receiver.received.length = 0;
});
afterAll(async () => {
  await world.close();
  await receiver.close();
});

/** Publishes receipt events that no consumer receives. */
function tell(count: number, change: Partial<CloudEvent> = {}, owner = 'receipt-store'): CloudEvent[] {
  const order = `${retailer}|${owner}`;
  const events = Array.from({ length: count }, () => {
    const receipt = receiptOf();
    world.receipts.set(receipt.id, { retailer, receipt });
    return { ...createdEvent(retailer, receipt), time: world.now.toISOString(), ...change };
  });
  world.published.set(order, [...(world.published.get(order) ?? []), ...events]);
  return events;
}
const order = () => world.ask('catchUpDeliveries', { body: {} }, callOf(''));
const owners = ['receipt-store', 'ingest', 'identifier', 'admin', 'delivery'];
const cursors = () => world.database.db.collection<CursorDocument>('event_catchup_cursors');
/** Catches up until all published events have been checked. */
async function caughtUp(): Promise<void> {
  await order();
  await world.until('all events were checked', async () => {
    const found = await cursors()
      .find({ _id: { $in: owners.map((owner) => `cursor|${retailer}|${owner}`) } })
      .toArray();
    const isRead = ({ _id, next }: CursorDocument) =>
      next === String(world.published.get(_id.slice('cursor|'.length))?.length ?? 0);
    return found.length === owners.length && found.every(isRead);
  });
}
const feed = async (after?: string) => {
  const query = { ...(after !== undefined && { after }) } as never;
  const { body, meta } = await world.ask('listEvents', { query }, callOf(retailer));
  return { events: body.events, after: (meta as { after: string }).after };
};
const idsOf = (events: readonly { readonly id: string }[]) => events.map(({ id }) => id);

it('delivers missed events to the feed and the endpoints once, even if they arrive later', async () => {
  tell(2);
  const begin = await feed();
  const input = { body: { url: receiver.url, payload: 'thin' } as never };
  await world.ask('createWebhookEndpoint', input, callOf(retailer));
  await caughtUp();
  const lostOf = owners.map((owner) => tell(owner === 'receipt-store' ? 5 : 2, {}, owner));
  const lost = lostOf.flat();
  const [handled] = lost as [CloudEvent];
  await world.deliver(handled);
  await caughtUp();
  const found = idsOf((await feed(begin.after)).events);
  expect(found).toHaveLength(lost.length);
  // Owners are read concurrently, so only the events of each owner are ordered.
  for (const events of lostOf.map(idsOf)) expect(found.filter((id) => events.includes(id))).toEqual(events);
  await world.deliver(...lost);
  tell(1);
  await caughtUp();
  expect((await feed(begin.after)).events).toHaveLength(lost.length + 1);
  await world.until('all are posted', () => receiver.received.length >= lost.length + 1);
  const posted = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(posted).size).toBe(lost.length + 1);
  expect(posted).toHaveLength(lost.length + 1);
});

it('delivers a missed event to an endpoint whose first attempt to record it failed', async () => {
  const body = { url: receiver.url, payload: 'thin', filter: 'total:* -checks:failed' };
  await world.ask('createWebhookEndpoint', { body: body as never }, callOf(retailer));
  await caughtUp();
  const [lost] = tell(1);
  // The event is in the log already when its filter needs the receipt.
  world.refusals.set('receipt-store.get-receipt', [new ServiceError(unavailable)]);
  await caughtUp();
  expect(world.refusals.get('receipt-store.get-receipt')).toEqual([]);
  const deliveries = world.database.db.collection('webhook_deliveries');
  expect(world.asked.filter((name) => name === 'receipt-store.get-receipt').length).toBeGreaterThan(1);
  expect(await deliveries.countDocuments({ retailer, eventId: lost?.id })).toBe(1);
});

it('delivers an event that a crashed process had logged, but not prepared for the endpoints', async () => {
  const body = { url: receiver.url, payload: 'thin', filter: 'total:* -checks:failed' };
  await world.ask('createWebhookEndpoint', { body: body as never }, callOf(retailer));
  await caughtUp();
  const [logged] = tell(1) as [CloudEvent];
  world.refusals.set('receipt-store.get-receipt', [new ServiceError(unavailable)]);
  // The broker loses the event afterwards, so it is not redelivered.
  expect(await world.deliver(logged)).toEqual([expect.objectContaining({ status: 503 })]);
  expect(await world.database.db.collection('event_log').countDocuments({ retailer })).toBe(1);
  await caughtUp();
  const isPosted = () => receiver.received.some(({ headers }) => headers['webhook-id'] === logged.id);
  await world.until('it is posted', isPosted);
});

it('does not deliver events from before the first reader, or events that are too old', async () => {
  const { after } = await feed();
  await caughtUp();
  const early = new Date(world.now.getTime() - 60_000).toISOString();
  tell(2, { time: early });
  const inTime = tell(1);
  world.now = new Date(world.now.getTime() + lateEventMaxMs - 60_000);
  await caughtUp();
  expect(idsOf((await feed(after)).events)).toEqual(idsOf(inTime));
  tell(1, { time: new Date(world.now.getTime() - lateEventMaxMs - 1).toISOString() });
  const last = tell(1);
  await caughtUp();
  expect(idsOf((await feed(after)).events)).toEqual(idsOf([...inTime, ...last]));
});

it('requests nothing for retailers without readers', async () => {
  world.asked.length = 0;
  tell(3);
  const other = `r-${newId()}`;
  world.retailers.set(other, retailerOf(other));
  await world.ask('listEvents', { query: {} as never }, callOf(other));
  await order();
  await world.until('other retailers were checked', async () => {
    const cursor = await cursors().findOne({ _id: `cursor|${other}|delivery` });
    return cursor?.next !== undefined && cursor.next !== '';
  });
  expect(await cursors().findOne({ _id: `cursor|${retailer}|receipt-store` })).toBeNull();
});
