import { newId } from '@receipts/kernel';
import { hashedPassword } from '../../broker/integrator-access';
import { crashAtEveryStep, crashableDatabases, until } from '@receipts/testing';
import {
  adminOn,
  adminWorld,
  letLeasesRunOut,
  operatorCall,
  refusalOf,
  type AdminWorld,
} from '../../testing/admin-world';
import { playedAccess } from '../../testing/played-access';

let world: AdminWorld;
const access = playedAccess();
const queue = 'subscriptions.demo.shop';
const second = 1_000;

beforeAll(async () => {
  world = await adminWorld(access);
});
beforeEach(async () => {
  await world.reset();
  access.queues.clear();
  access.fails = undefined;
  access.onOpened = () => Promise.resolve();
  await world.ask('createRetailer', { body: { id: 'demo', name: 'Demo' } }, operatorCall());
});
afterAll(() => world.close());

const create = (types?: string[]) =>
  world.ask(
    'createSubscription',
    { params: { id: 'demo' }, body: { name: 'shop', ...(types && { types }) } },
    operatorCall(),
  );
const remove = () =>
  world.ask('deleteSubscription', { params: { id: 'demo', name: 'shop' } }, operatorCall());
const statuses = async () =>
  (await world.ask('listSubscriptions', { params: { id: 'demo' } }, operatorCall())).body.subscriptions.map(
    ({ status }) => status,
  );
const later = (seconds: number) => (world.now = new Date(world.now.getTime() + seconds * second));

it('creates the queue with the routing keys, and stores no password', async () => {
  const { body } = await create(['receipt.*']);
  expect(body).toMatchObject({ queue, user: queue, status: 'ready', routing_keys: ['receipt.#'] });
  expect(access.queues.get(queue)?.routingKeys).toEqual(['receipt.#']);
  const kept = await world.database.db.collection('subscriptions').find({}).toArray();
  expect(JSON.stringify(kept)).not.toContain(body.password);
});

it('leaves nothing behind when the broker fails, and can be retried', async () => {
  access.fails = new Error('the management interface is unavailable');
  expect(await refusalOf(create())).toBe('503 unavailable');
  expect(await statuses()).toEqual([]);
  access.fails = undefined;
  expect((await create()).body.status).toBe('ready');
});

it('marks an interrupted creation as incomplete, and allows a retry after a minute', async () => {
  await create();
  await world.database.db.collection('subscriptions').updateOne({}, { $set: { status: 'incomplete' } });
  expect(await statuses()).toEqual(['incomplete']);
  expect(await refusalOf(create())).toBe('409 subscription_exists');
  later(61);
  expect((await create(['store.created'])).body.routing_keys).toEqual(['store.created']);
  expect(await statuses()).toEqual(['ready']);
  later(61);
  expect(await refusalOf(create())).toBe('409 subscription_exists');
});

it('restores the queues of a wiped broker, with the same password', async () => {
  await create(['receipt.*']);
  const before = access.queues.get(queue);
  access.queues.clear();
  world.reconnect();
  await until('the queue exists', () => access.queues.has(queue));
  expect(access.queues.get(queue)).toMatchObject({
    routingKeys: ['receipt.#'],
    passwordHash: before?.passwordHash,
  });
});

it('does not restore a subscription that is deleted meanwhile', async () => {
  await create();
  const made = access.queues.get(queue);
  access.queues.clear();
  access.closed = 0;
  access.onOpened = async () => {
    await remove();
    // The last steps of the queue's creation happen after the deletion.
    if (made) access.queues.set(queue, made);
  };
  world.reconnect();
  await until('the connections are closed', () => access.closed === 2);
  expect([...access.queues.keys()]).toEqual([]);
  expect(await statuses()).toEqual([]);
});

it('is rejected with 501 if the management interface is not configured', async () => {
  const bare = await adminWorld();
  await bare.ask('createRetailer', { body: { id: 'demo', name: 'Demo' } }, operatorCall());
  const asked = bare.ask(
    'createSubscription',
    { params: { id: 'demo' }, body: { name: 'shop' } },
    operatorCall(),
  );
  expect(await refusalOf(asked)).toBe('501 broker_management_missing');
  await bare.close();
});

it('leaves one queue with the password of the last reply if the process crashes at any step and the request is retried', async () => {
  const crashes = await crashAtEveryStep<AdminWorld['database'], AdminWorld>({
    crashable: crashableDatabases(world.database),
    start: (database) => adminOn(database, access),
    stop: (process) => process.stop(),
    keyed: 'at once',
    command: async () => {
      const id = newId();
      await world.ask('createRetailer', { body: { id, name: id } }, operatorCall());
      const input = { params: { id }, body: { name: 'shop' } };
      const execute = (process: AdminWorld) =>
        process.ask('createSubscription', input, operatorCall({ idempotencyKey: id }));
      return {
        execute,
        async afterwards() {
          await letLeasesRunOut(world.database);
          const { body: first, replayed } = await execute(world);
          const second = await execute(world);
          expect(second.body).toEqual({ ...first, password: null });
          expect(second.replayed).toBe(true);
          const made = access.queues.get(`subscriptions.${id}.shop`);
          expect(made).toMatchObject({ routingKeys: ['#'] });
          const salt = Buffer.from(String(made?.passwordHash), 'base64').subarray(0, 4);
          // If this reply is a replay, the reply with the queue's password was lost with the process.
          if (!replayed) expect(hashedPassword(String(first.password), salt)).toBe(made?.passwordHash);
          expect(await world.database.db.collection('subscriptions').countDocuments({ retailer: id })).toBe(
            1,
          );
        },
      };
    },
  });
  expect(crashes).toBeGreaterThanOrEqual(4);
});
