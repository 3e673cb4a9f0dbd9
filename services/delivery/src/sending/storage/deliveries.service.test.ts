import { newId } from '@receipts/kernel';
import type { Database } from '@receipts/storage';
import { openTestDatabase } from '@receipts/storage/testing';
import { callOf, startMongo, testDatabase, type Mongo } from '@receipts/testing';
import { claimMs } from '../domain/schedule';
import { deliveryEvent } from '../use-cases/delivery-events';
import { Deliveries } from './deliveries';
import { deliveriesDeclaration, type DeliveryDocument } from './delivery-document';

let mongo: Mongo;
let database: Database;
let deliveries: Deliveries;

beforeAll(async () => {
  mongo = await startMongo();
  const place = { uri: mongo.uri, database: testDatabase('delivery') };
  database = await openTestDatabase(place);
  const collection = await database.collection<DeliveryDocument>(deliveriesDeclaration);
  deliveries = new Deliveries(collection, { enqueue: () => undefined });
});
afterAll(async () => {
  await database.close();
  await mongo.stop();
});

const start = new Date('2026-05-01T12:00:00Z');
const after = (ms: number) => new Date(start.getTime() + ms);
const signal = () => AbortSignal.timeout(60_000);
const claim = (now: Date) => deliveries.claimDue({ after: '', except: [] }, now, signal());

it('ignores the late outcome of an attempt whose lease has expired', async () => {
  const retailer = newId();
  const call = callOf(retailer);
  const facts = { _id: newId(), retailer, receiptId: newId(), channel: 'email' as const, reason: null };
  const times = { requestedAt: start, updatedAt: start, dueAt: start };
  const pending = {
    ...facts,
    ...times,
    recipientId: newId(),
    address: 'jane@example.com',
    status: 'pending' as const,
  };
  const document = { ...pending, attempts: 0, version: 1, requestId: call.requestId };
  const event = deliveryEvent('deliveryRequested', document, call, start);
  await deliveries.add([{ document, event }], signal());

  const first = await claim(start);
  expect(await claim(after(claimMs - 1))).toBeNull();
  expect(await deliveries.handOver(first!, after(claimMs - 1), signal())).toBe(true);
  const second = await claim(after(claimMs));
  expect([first?.attempts, second?.attempts]).toEqual([1, 2]);

  const late = after(claimMs + 1);
  const failed = { status: 'failed' as const, reason: 'not_delivered' };
  expect(await deliveries.handOver(first!, late, signal())).toBe(false);
  await deliveries.finish(first!, failed, event, late, signal());
  await deliveries.postpone(first!, 'not_delivered', after(1), late, signal());
  expect(await deliveries.find(facts._id, signal())).toMatchObject({
    status: 'pending',
    reason: null,
    dueAt: second?.dueAt,
    attempts: 2,
  });

  const sent = { status: 'sent' as const, reason: null };
  await deliveries.finish(second!, sent, event, late, signal());
  expect(await deliveries.find(facts._id, signal())).toMatchObject({ status: 'sent' });
});
