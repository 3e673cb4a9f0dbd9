import { adminWorld, operatorCall, type AdminWorld } from '../../testing/admin-world';

let world: AdminWorld;

beforeAll(async () => {
  world = await adminWorld();
});
afterAll(() => world.close());

it('shows consumers, waiting messages and dead letters', async () => {
  world.deadLetters.set('delivery.on-event', [{} as never]);
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
  expect(body.queues).toEqual(
    [
      'admin.commands',
      'delivery.on-alert-cause',
      'delivery.on-event',
      'delivery.on-password-reset-requested',
      'delivery.on-receipt-recorded-or-deleted',
      'delivery.on-retailer-updated',
      'identifier.on-receipt-changed',
      'ingest.commands',
      'receipt-store.commands',
      'subscriptions',
      'transform.commands',
    ].map((queue) => ({
      queue,
      messages: queue === 'delivery.on-event' ? 1 : 0,
      consumers: queue.startsWith('transform') ? 0 : 2,
      waiting_seconds: 0,
      dead_letters: queue === 'delivery.on-event' ? 1 : 0,
    })),
  );
  // This process does not know the broker's management interface.
  expect(body.incomplete_queues).toBeNull();
});
