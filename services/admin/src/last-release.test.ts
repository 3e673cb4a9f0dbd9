import path from 'node:path';
import { sealer } from '@receipts/host';
import { connectDatabase } from '@receipts/storage';
import { putDocuments, startMongo, testDatabase, type Mongo, silentLog } from '@receipts/testing';
import { adminOn, masterKey, operatorCall, type AdminWorld } from './testing/admin-world';

let mongo: Mongo;
let world: AdminWorld;

beforeAll(async () => {
  mongo = await startMongo();
  const database = await connectDatabase({
    uri: mongo.uri,
    database: testDatabase('admin'),
    service: 'admin',
    log: silentLog,
  });
  await putDocuments(database.db, path.join(__dirname, '../fixtures/documents-of-0.1.0.json'));
  world = await adminOn(database);
}, 60_000);
afterAll(async () => {
  await world.close();
  await mongo.stop();
});

it('retailers, stores and portal users are as they were, and numbers go on', async () => {
  const { body: retailer } = await world.ask('getRetailer', { params: { id: 'demo' } }, operatorCall());
  expect(retailer).toMatchObject({ id: 'demo', name: 'Demo', settings: { currency: 'EUR', event_days: 30 } });
  const { body: store } = await world.ask('getStore', { params: { reference: '1' } });
  expect(store).toMatchObject({ name: 'Rivoli', external_reference: 'R1', properties: { a: 1 } });
  const { body } = await world.ask('listStores', { query: { count: 10, pretty: false } } as never);
  expect(body.stores.map(({ reference }) => reference)).toEqual([2, 1]);
  const created = await world.ask('createStore', { body: { name: 'Bastille', country: 'FRA' } });
  expect(created.body).toEqual({ reference: 3 });
  const put = await world.ask('putPortalUser', {
    params: { email: 'joe@example.com' },
    body: { group: '', status: 'inactive' },
  });
  expect(put.meta).toEqual({ created: false });
});

it('clients still authenticate: the secret is opened, and the token is known', async () => {
  const { body: client } = await world.ask('getClient', {
    params: { authentication: 'bearer', client_id: '1' },
  } as never);
  expect(client).toMatchObject({ description: 'Till', key: '7ntC_XaRdj4Qj7kSkYcp', revoked: false });
  const { body } = await world.ask('findCredential', { body: { key: '7ntC_XaRdj4Qj7kSkYcp' } } as never);
  expect(body.credential).toMatchObject({ retailer: 'demo', permissions: ['view.get_receipt'] });
  const secret = sealer(masterKey).open(body.credential?.secret ?? '');
  expect(secret).toBe('VD0Sjo2nn3dJh3Q0yb9cGBzgX/12dIYgWf5/OBdulVo=');
  const tokens = await world.ask('listTokens', { params: { client_id: '1' } } as never);
  expect(tokens.body.tokens).toMatchObject([
    { jti: 'ffa002cf-0501-4030-8d0a-857e66ee5326', revoked: false, expires: null },
  ]);
});
