import { newId } from '@receipts/kernel';
import { callOf, receiptOf, recordedEvent, retailerOf } from '../../testing/samples';
import { startWorld, type World } from '../../testing/world';
import { lateMailMaxMs } from './catch-up-receipts';

let world: World;
let retailer: string;

beforeAll(async () => {
  world = await startWorld();
});
beforeEach(() => {
  retailer = `r-${newId()}`;
  world.retailers.clear();
  world.retailers.set(retailer, retailerOf(retailer));
  world.mails.length = 0;
});
afterAll(() => world.close());

let count = 0;
beforeEach(() => (count = 0));

/** A receipt in receipt-store. */
function arrived(ageMs = 0, wanted = true) {
  const properties = wanted ? { email_settings: { send: true } } : {};
  const receipt = receiptOf({ identifier: `${newId()}@example.com`, properties });
  world.receipts.set(receipt.id, { retailer, receipt });
  world.arrivals.set(receipt.id, new Date(world.now.getTime() - ageMs));
  const event = { ...recordedEvent(retailer, receipt, ++count), id: receipt.id };
  return { id: receipt.id, to: receipt.identifier, event };
}
const order = () => world.ask('catchUpDeliveries', { body: {} }, callOf(''));
const sentTo = () => world.mails.map(({ envelope }) => envelope.to).sort();
const deliveries = async (id: string) =>
  (await world.ask('listDeliveries', { params: { id } }, callOf(retailer))).body.deliveries;

/** Catches up until a receipt without an event is sent. */
async function caughtUp(): Promise<string> {
  const last = arrived();
  await order();
  await world.until(
    'the last receipt is sent',
    async () => (await deliveries(last.id))[0]?.status === 'sent',
  );
  return last.to as string;
}

it('starts with each connection to the broker, which may have lost messages', async () => {
  await caughtUp();
  const { id } = arrived();
  world.reconnect();
  await world.until('the receipt is sent', async () => (await deliveries(id))[0]?.status === 'sent');
});

it('sends receipts without an event, once, even if the event arrives later', async () => {
  const missed = [arrived(), arrived(), arrived()];
  const last = await caughtUp();
  await world.deliver(...missed.map(({ event }) => event));
  const again = await caughtUp();
  expect(sentTo()).toEqual([...missed.map(({ to }) => to), last, again].sort());
});

it('does not send receipts that are older than a day or deleted', async () => {
  arrived(lateMailMaxMs + 1);
  const inTime = arrived(lateMailMaxMs - 60_000);
  world.deleted.add(arrived().id);
  const last = await caughtUp();
  expect(sentTo()).toEqual([inTime.to, last].sort());
});

it('removes the deliveries of deleted receipts without an event, and retries until it succeeds', async () => {
  const { id } = arrived();
  await caughtUp();
  expect(await deliveries(id)).toMatchObject([{ address: expect.stringContaining('@') }]);
  world.deleted.add(id);
  const prototype = Object.getPrototypeOf(world.database.db.collection('any'));
  const { deleteMany } = prototype;
  let faults = 0;
  const spy = jest.spyOn(prototype, 'deleteMany').mockImplementation(function (this: unknown, ...args) {
    if ((this as { collectionName: string }).collectionName !== 'deliveries' || faults > 0)
      return deleteMany.apply(this, args);
    faults++;
    return Promise.reject(new DOMException('too late', 'TimeoutError'));
  });
  await caughtUp().finally(() => spy.mockRestore());
  expect(faults).toBe(1);
  const kept = world.database.db.collection('deliveries');
  await world.until('no delivery', async () => (await kept.countDocuments({ receiptId: id })) === 0);
  await caughtUp();
  const erasures = world.database.db.collection('receipt_erasures');
  expect(await erasures.find({ receiptId: id }).toArray()).toMatchObject([{ times: 2 }]);
});

it('does not change the decision for a known receipt when settings change later', async () => {
  const early = [arrived(0, false), arrived(0, false)];
  expect(await world.deliver(...early.map(({ event }) => event))).toEqual([undefined, undefined]);
  const handled = world.database.db.collection<{ _id: string; upTo: number }>('receipt_catchup_cursors');
  await world.until(
    'the receipt is recorded',
    async () => (await handled.findOne({ _id: `cursor|${retailer}` }))?.upTo === early.length,
  );
  world.retailers.set(retailer, retailerOf(retailer, { auto_send: true }));
  const last = await caughtUp();
  expect(sentTo()).toEqual([last]);
});

it('retries deliveries that the database did not store in time', async () => {
  const { to } = arrived();
  const prototype = Object.getPrototypeOf(world.database.db.collection('any'));
  const { insertMany } = prototype;
  let refusals = 0;
  const spy = jest.spyOn(prototype, 'insertMany').mockImplementation(function (this: unknown, ...args) {
    if ((this as { collectionName: string }).collectionName !== 'deliveries' || refusals > 0)
      return insertMany.apply(this, args);
    refusals++;
    return Promise.reject(new DOMException('too late', 'TimeoutError'));
  });
  try {
    const last = await caughtUp();
    await world.until('both receipts are sent', () => Promise.resolve(sentTo().length === 2));
    expect(sentTo()).toEqual([to, last].sort());
    expect(refusals).toBe(1);
  } finally {
    spy.mockRestore();
  }
});
