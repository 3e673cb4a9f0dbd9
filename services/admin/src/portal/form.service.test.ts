import { hashOf } from '../pages/storage/sessions';
import { adminOn, adminWorld, callOf, operatorCall, type AdminWorld } from '../testing/admin-world';
import { portalSessionsDeclaration, type PortalSessionDocument } from './storage/portal-sessions';

let world: AdminWorld;

const email = 'jo@demo.example';
const csrf = 'the token of the form';
const headers = { host: 'receipts.example', cookie: '__Host-portal=secret' };

beforeAll(async () => {
  world = await adminWorld();
  const settings = { portal_groups: ['managers'], portal_permissions: { managers: ['view.*'] } };
  await world.ask(
    'createRetailer',
    { body: { id: 'demo', name: 'Demo', settings } as never },
    operatorCall(),
  );
  await world.ask('putPortalUser', { params: { email }, body: { group: 'managers', status: 'active' } });
  const sessions = await world.database.collection<PortalSessionDocument>(portalSessionsDeclaration);
  const [created, expires] = [world.now, new Date(world.now.getTime() + 3_600_000)];
  await sessions.insertOne({ _id: hashOf('secret'), csrf, created, expires, retailer: 'demo', email });
});
afterAll(() => world.close());

const contentType = 'application/x-www-form-urlencoded';
const count = (collection: string) => world.database.db.collection(collection).countDocuments({});

it('has one effect if its request is repeated, also by another process', async () => {
  const body = { csrf, authentication: 'bearer', description: 'Tills', permissions: ['view.get_receipt'] };
  const other = await adminOn(world.database);
  const call = callOf({ permissions: [] });
  for (const process of [world, other, world]) {
    const { body: page } = await process.ask(
      'portalCreateClient',
      { headers, body, contentType } as never,
      call,
    );
    expect(String(page)).toContain('Tills');
  }
  expect([await count('clients'), await count('tokens')]).toEqual([1, 1]);
  await world.ask('portalCreateClient', { headers, body, contentType } as never, callOf({ permissions: [] }));
  expect([await count('clients'), await count('tokens')]).toEqual([2, 2]);
  await other.stop();
});
