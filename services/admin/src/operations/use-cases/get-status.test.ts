import { startMongo, testDatabase, type Mongo } from '@receipts/testing';
import { adminWorld, operatorCall, type AdminWorld } from '../../testing/admin-world';

let mongo: Mongo;
let world: AdminWorld;

beforeAll(async () => {
  mongo = await startMongo();
  world = await adminWorld(mongo.uri, testDatabase('admin'));
});
afterAll(async () => {
  await world.close();
  await mongo.stop();
});

it('shows consumers, waiting messages and dead letters', async () => {
  world.deadLetters.set('delivery.on-receipt-created', []);
  const { body } = await world.ask('getStatus', {}, operatorCall());
  expect(body.services.map(({ service, ready, instances }) => [service, ready, instances])).toEqual([
    ['gateway', false, 0],
    ['receipt-store', true, 2],
    ['ingest', true, 2],
    ['transform', false, 0],
    ['delivery', true, 2],
    ['identifier', true, 2],
    ['admin', true, 2],
  ]);
  expect(body.queues).toEqual([
    { queue: 'delivery.on-receipt-created', messages: 0, consumers: 2, waiting_seconds: 0, dead_letters: 0 },
  ]);
});
