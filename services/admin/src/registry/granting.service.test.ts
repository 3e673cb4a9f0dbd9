import { adminContracts, everyPermission } from '@receipts/contracts';
import type { Call, Contract } from '@receipts/kernel';
import { adminWorld, callOf, operatorCall, refusalOf, type AdminWorld } from '../testing/admin-world';

let world: AdminWorld;

const strongEmail = 'boss@demo.example';
const weakEmail = 'jo@demo.example';
const strong = { authentication: 'bearer', client_id: '1' };

/** A retailer with a client and a user that may do everything, and a user whose group may do nothing. */
async function fill(): Promise<void> {
  await world.reset();
  const settings = {
    portal_groups: ['managers', 'nobodies', 'clerks'],
    portal_permissions: { managers: [everyPermission], nobodies: [] },
  };
  await world.ask(
    'createRetailer',
    { body: { id: 'demo', name: 'Demo', settings } as never },
    operatorCall(),
  );
  const client = { description: 'strong', permissions: [everyPermission] };
  await world.ask('createClient', { params: { authentication: 'bearer' }, body: client });
  await put(strongEmail, 'managers', callOf());
  await put(weakEmail, 'nobodies', callOf());
}

beforeAll(async () => {
  world = await adminWorld();
  await fill();
});
afterAll(() => world.close());

const put = (email: string, group: string, call: Call, status: 'active' | 'inactive' = 'active') =>
  world.ask('putPortalUser', { params: { email }, body: { group, status } }, call);
const patch = (body: object, call: Call) =>
  world.ask('patchClient', { params: strong, body: body as never }, call);
const revoke = (body: object, call: Call) =>
  world.ask('revokeTokens', { params: strong, body: body as never }, call);

type Attempt = (call: Call) => Promise<unknown>;

/** Every way in which a client of a retailer can give or take a right, for each contract with which it could. */
const attempts: Readonly<Partial<Record<keyof typeof adminContracts, Readonly<Record<string, Attempt>>>>> = {
  createClient: {
    'create a stronger client': (call) => {
      const body = { description: 'new', permissions: [everyPermission] };
      return world.ask('createClient', { params: { authentication: 'hmac' }, body }, call);
    },
  },
  patchClient: {
    'revoke a stronger client': (call) => patch({ revoked: true }, call),
    'weaken a stronger client': (call) => patch({ 'permissions-=': [everyPermission] }, call),
    'read the secret of a stronger client': (call) => patch({}, call),
  },
  issueToken: {
    'issue a token of a stronger client': (call) =>
      world.ask('issueToken', { params: { client_id: '1' }, body: {} }, call),
  },
  revokeTokens: {
    'revoke a token of a stronger client': (call) => revoke({ jti: 'any' }, call),
    'revoke all tokens of a stronger client': (call) => revoke({ all: true }, call),
  },
  putPortalUser: {
    'create a stronger user': (call) => put('new@demo.example', 'managers', call),
    'lift a user': (call) => put(weakEmail, 'managers', call),
    'demote a stronger user': (call) => put(strongEmail, 'nobodies', call),
    'switch a stronger user off': (call) => put(strongEmail, 'managers', call, 'inactive'),
    'repeat the state of a stronger user': (call) => put(strongEmail, 'managers', call),
  },
  sendPasswordReset: {
    'invalidate the links of a stronger user': (call) =>
      world.ask('sendPasswordReset', { params: { email: strongEmail } }, call),
  },
};

/** Writes of clients that change no right, and do not belong in `attempts`. */
const otherWrites = ['createStore', 'patchStore'];

const permissionOf = (name: string) => adminContracts[name as keyof typeof adminContracts] as Contract;

const cases = Object.entries(attempts).flatMap(([name, ways]) =>
  Object.entries(ways ?? {}).map(
    ([way, attempt]) => [way, permissionOf(name).permission ?? '', attempt] as const,
  ),
);

it('tries every write of a client', () => {
  const writes = Object.entries(adminContracts as Record<string, Contract>)
    .filter(([, { kind, permission }]) => kind === 'command' && permission !== undefined)
    .map(([name]) => name);
  expect([...Object.keys(attempts), ...otherWrites].sort()).toEqual(writes.sort());
});

it.each(cases)(
  'does not let a client with only the permission of the route %s',
  async (way, permission, attempt) => {
    const call = callOf({ permissions: [permission] });
    await expect(attempt(call)).rejects.toMatchObject({
      status: 403,
      code: 'permission_denied',
      description: expect.stringContaining(`: ${everyPermission}`) as string,
    });
    if (way === 'create a stronger client') return;
    const confined = callOf({ settings: { consumer_required: true } });
    expect(await refusalOf(attempt(confined))).toBe('403 permission_denied');
  },
);

it('creates a client with the restriction of its creator', async () => {
  const call = callOf({ settings: { consumer_required: true } });
  const body = { description: 'new', permissions: [everyPermission] };
  const created = await world.ask('createClient', { params: { authentication: 'hmac' }, body }, call);
  expect(created.body.settings).toEqual({ consumer_required: true });
});

it('names what a client lacks of the permissions of a group, which by default are those of every user', async () => {
  const call = callOf({ permissions: ['view.put_portal_user', 'view.get_receipt'] });
  for (const group of ['', 'clerks']) {
    await expect(put('new@demo.example', group, call)).rejects.toMatchObject({
      status: 403,
      description: expect.stringMatching(/: view\.search_receipt$/) as string,
    });
  }
});

it('lets a client manage users who may do at most what it may do', async () => {
  const call = callOf({
    permissions: [
      'view.put_portal_user',
      'view.reset_portal_user',
      'view.get_receipt',
      'view.search_receipt',
    ],
  });
  expect((await put('new@demo.example', 'clerks', call)).meta).toEqual({ created: true });
  expect((await put('new@demo.example', 'nobodies', call, 'inactive')).meta).toEqual({ created: false });
  await world.ask('sendPasswordReset', { params: { email: 'new@demo.example' } }, call);
});

describe('a caller who is restricted to stores', () => {
  const call = callOf({ stores: ['1', '2'] });
  const putWith = (email: string, stores: readonly (string | number)[] | null | undefined, by = call) => {
    const body = { group: 'clerks', status: 'active', ...(stores !== undefined && { stores }) };
    return world.ask('putPortalUser', { params: { email }, body: body as never }, by);
  };

  it('invites only users who see at most these stores', async () => {
    for (const stores of [undefined, null, ['3'], ['1', '3']]) {
      expect(await refusalOf(putWith('seller@demo.example', stores))).toBe('403 permission_denied');
    }
    expect((await putWith('seller@demo.example', [1])).meta).toEqual({ created: true });
    expect((await putWith('seller@demo.example', undefined)).meta).toEqual({ created: false });
  });

  it('neither changes nor resets users who see other stores', async () => {
    await putWith('north@demo.example', ['3'], callOf());
    await putWith('south@demo.example', ['2'], callOf());
    expect(await refusalOf(putWith('north@demo.example', ['1']))).toBe('403 permission_denied');
    expect(await refusalOf(putWith('south@demo.example', ['3']))).toBe('403 permission_denied');
    const reset = (email: string) => world.ask('sendPasswordReset', { params: { email } }, call);
    expect(await refusalOf(reset('north@demo.example'))).toBe('403 permission_denied');
    await reset('south@demo.example');
  });
});
