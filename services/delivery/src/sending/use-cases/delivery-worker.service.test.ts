import { newId } from '@receipts/kernel';
import type { DeliveryDocument } from '../storage/delivery-document';
import { callOf, receiptOf, retailerOf } from '../../testing/samples';
import { startWorld, type World } from '../../testing/world';

let world: World;
let retailer: string;
const restore: (() => void)[] = [];

beforeAll(async () => {
  world = await startWorld();
});
beforeEach(() => {
  retailer = newId();
  world.retailers.set(retailer, retailerOf(retailer));
  world.mails.length = 0;
});
afterEach(() => {
  for (const undo of restore.splice(0)) undo();
});
afterAll(() => world.close());

type Write = () => Promise<unknown>;
type Update = { readonly $set?: Partial<DeliveryDocument> };
const timedOut = () => new DOMException('the database did not answer in time', 'TimeoutError');

/** Calls `fault` instead of each update of a delivery; undefined performs the update. */
function onUpdate(fault: (update: Update, write: Write) => Promise<unknown> | undefined): void {
  const prototype = Object.getPrototypeOf(world.database.db.collection('any'));
  const { updateOne } = prototype;
  const spy = jest.spyOn(prototype, 'updateOne').mockImplementation(function (this: any, ...args: any[]) {
    const write = () => updateOne.apply(this, args);
    return (this.collectionName === 'deliveries' && fault(args[1], write)) || write();
  });
  restore.push(() => spy.mockRestore());
}

async function send(): Promise<() => Promise<DeliveryDocument | null>> {
  const receipt = receiptOf({ transaction_id: newId(), identifier: 'jane@example.com' });
  world.receipts.set(receipt.id, { retailer, receipt });
  await world.ask('sendReceipt', { body: { id: receipt.id, channels: ['email'] } }, callOf(retailer));
  return () =>
    world.database.db.collection<DeliveryDocument>('deliveries').findOne({ receiptId: receipt.id });
}

async function isSentLater(delivery: () => Promise<DeliveryDocument | null>): Promise<void> {
  await world.until('the delivery is postponed', async () => (await delivery())?.reason === 'not_delivered');
  expect(world.mails).toEqual([]);
  world.now = new Date(world.now.getTime() + 60_000);
  await world.until('the end', async () => (await delivery())?.status !== 'pending');
  expect(await delivery()).toMatchObject({ status: 'sent', attempts: 2 });
  expect(world.mails).toHaveLength(1);
}

it('sends an e-mail later if recording the start of sending and postponing the delivery both time out, although the first write is applied', async () => {
  let postponements = 0;
  let isHandedOver = false;
  onUpdate(({ $set }, write) => {
    if ($set?.handedOverAt && !isHandedOver) {
      isHandedOver = true;
      return write().then(() => Promise.reject(timedOut()));
    }
    return $set?.reason === 'not_delivered' && ++postponements <= 2 ? Promise.reject(timedOut()) : undefined;
  });
  await isSentLater(await send());
  expect(postponements).toBe(3);
});

it('does not start to send a message shortly before the service ends', async () => {
  const stopping = await startWorld();
  stopping.retailers.set(retailer, retailerOf(retailer));
  const receipt = receiptOf({ transaction_id: newId(), identifier: 'jane@example.com' });
  stopping.receipts.set(receipt.id, { retailer, receipt });
  let stopped: Promise<void> | undefined;
  const name = 'receipt-store.get-receipt';
  // The first request checks the receipt, and the second is part of the attempt.
  const stop = async () => {
    stopped = stopping.close();
    const now = performance.now();
    const spy = jest.spyOn(performance, 'now').mockImplementation(() => now + 2_500);
    restore.push(() => spy.mockRestore());
  };
  stopping.afterAnswers.set(name, async () => void stopping.afterAnswers.set(name, stop));
  await stopping.ask('sendReceipt', { body: { id: receipt.id, channels: ['email'] } }, callOf(retailer));
  await stopping.until('the service stops', () => Promise.resolve(stopped !== undefined));
  await stopped;
  expect(stopping.mails).toEqual([]);
});

it('sends an e-mail later if recording the start of sending times out, and that write is applied after the delivery was postponed', async () => {
  let late: Write | undefined;
  onUpdate(({ $set }, write) => {
    if ($set?.handedOverAt && !late) {
      late = write;
      return Promise.reject(timedOut());
    }
    if ($set?.reason !== 'not_delivered') return undefined;
    return write().then(() => late?.());
  });
  await isSentLater(await send());
});
