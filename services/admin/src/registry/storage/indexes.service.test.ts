import { Collection, type FindCursor } from 'mongodb';
import { adminWorld, callOf, operatorCall, type AdminWorld } from '../../testing/admin-world';
import { playedAccess } from '../../testing/played-access';

let world: AdminWorld;

beforeAll(async () => {
  world = await adminWorld(playedAccess());
});
afterAll(() => world.close());

/** Runs every query of this service. */
async function readEverything(): Promise<void> {
  const hmac = { authentication: 'hmac' };
  const bearer = { client_id: '2' };
  const list = { count: 1 };
  await world.ask('createRetailer', { body: { id: 'demo', name: 'Demo' } }, operatorCall());
  await world.ask('createRetailer', { body: { id: 'other', name: 'Other' } }, operatorCall());
  await world.ask('browseRetailers', { query: { ...list, older: 'other' } }, operatorCall());
  await world.ask('listRetailers', { body: list });
  await world.ask('listRetailers', { body: { ...list, after: 'demo' } });
  for (const name of ['a', 'b']) {
    await world.ask('createStore', { body: { name, country: 'FRA', external_reference: name } });
  }
  await world.ask('createStore', { body: { name: 'c', country: 'FRA', reference: 9 } });
  await world.ask('listStores', { query: { ...list, older: 2 } });
  await world.ask('getStore', { params: { reference: '1' } });
  await world.ask('getStore', { params: { reference: 'b' } });
  await world.ask('listStoreRecords', { body: { ...list, after: 'demo/1' } });
  for (const authentication of ['hmac', 'bearer']) {
    await world.ask('createClient', {
      params: { authentication },
      body: { description: 'c', permissions: [] },
    });
  }
  await world.ask('listClients', { params: hmac, query: { ...list, older: 1 } });
  await world.ask('getClient', { params: { ...hmac, client_id: '1' } });
  await world.ask('patchClient', { params: { ...hmac, client_id: '1' }, body: { description: 'd' } });
  await world.ask('listCredentials', { body: list });
  await world.ask('findCredential', { body: { key: 'k' } });
  const { body: token } = await world.ask('issueToken', { params: bearer });
  await world.ask('listTokens', { params: bearer, query: { ...list, older: token.jti } });
  await world.ask(
    'createFirstClient',
    {
      params: { id: 'demo', authentication: 'hmac' },
      body: { description: 'first', permissions: [] },
    },
    callOf(),
  );
  const subscription = { params: { id: 'demo' }, body: { name: 's' } };
  await world.ask('createSubscription', subscription, operatorCall());
  await world.ask('listSubscriptions', { params: { id: 'demo' } }, operatorCall());
  await world.ask('deleteSubscription', { params: { id: 'demo', name: 's' } }, operatorCall());
  const action = {
    id: 'a',
    at: 1,
    operator: 'o',
    address: '',
    operation: 'x',
    method: 'POST',
    path: '/',
    retailer: 'demo',
    fields: [],
    request_id: 'r',
  };
  await world.ask('recordOperatorAction', { body: action });
  await world.ask('listOperatorActions', { query: { ...list, older: 'a' } }, operatorCall());
  await world.ask('listOperatorActions', { query: { retailer: 'demo' } }, operatorCall());
  const user = { params: { email: 'jo@demo.example' } };
  await world.ask('putPortalUser', { ...user, body: { group: '', status: 'active' } });
  await world.ask('sendPasswordReset', user);
  await world.ask('findPasswordReset', { body: { reset_id: 'r' } });
  const notified = { count: 10, after: 'demo jo@demo.example' };
  await world.ask('listNotifiedUsers', { body: notified });
  await world.ask('listNotifiedUsers', { body: { ...notified, retailer: 'demo' } });
}

it('serves every query with an index', async () => {
  const cursors: { readonly of: string; readonly cursor: FindCursor }[] = [];
  const find = Collection.prototype.find;
  const spy = jest.spyOn(Collection.prototype, 'find').mockImplementation(function (
    this: Collection,
    ...args: unknown[]
  ) {
    const cursor = find.apply(this, args as never) as FindCursor;
    cursors.push({ of: this.collectionName, cursor });
    return cursor;
  } as never);
  await readEverything();
  spy.mockRestore();

  expect(cursors.length).toBeGreaterThan(30);
  const plans = new Map<string, string>();
  for (const { of, cursor } of cursors) {
    // The deadline of the call does not affect its plan.
    const { signal: _signal, ...options } = (
      cursor as unknown as { findOptions: object & { signal?: unknown } }
    ).findOptions;
    const filter = (cursor as unknown as { cursorFilter: object }).cursorFilter;
    const plan = await world.database.db.collection(of).find(filter, options).explain('queryPlanner');
    plans.set(`${of} ${JSON.stringify({ filter, options })}`, JSON.stringify(plan));
  }
  const unserved = [...plans].filter(([, plan]) => plan.includes('COLLSCAN') || plan.includes('"SORT"'));
  expect(unserved.map(([query]) => query)).toEqual([]);
});
