import { adminWorld, callOf, operatorCall, refusalOf, type AdminWorld } from '../../testing/admin-world';

let world: AdminWorld;

const settings = {
  locale: 'de_DE',
  portal_groups: ['managers', 'clerks'],
  portal_permissions: {
    managers: ['view.get_report', 'view.get_packet', 'view.manage_webhook'],
    clerks: ['view.get_receipt'],
  },
};

beforeAll(async () => {
  world = await adminWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.reset();
  for (const id of ['demo', 'other']) {
    await world.ask('createRetailer', { body: { id, name: id, settings } as never }, operatorCall());
    await world.ask(
      'createStore',
      { body: { reference: 1, external_reference: 'opera', name: 'Opera', country: 'FRA' } as never },
      callOf({ retailer: id }),
    );
  }
});

const all = { types: ['daily_totals', 'failed_packets', 'disabled_webhooks', 'failing_checks'] };
const put = (email: string, body: object, retailer = 'demo') =>
  world.ask(
    'putPortalUser',
    { params: { email }, body: { group: 'managers', status: 'active', ...body } as never },
    callOf({ retailer }),
  );
const list = async (body: object = {}) =>
  (await world.ask('listNotifiedUsers', { body: { count: 100, ...body } }, callOf({ retailer: '' }))).body;

it('lists what users have chosen and may see, in their language', async () => {
  await put('jo@demo.example', { notifications: { ...all, failing_checks_percent: 10, language: 'fr' } });
  await put('al@demo.example', { notifications: null });
  expect((await list()).users).toEqual([
    {
      retailer: 'demo',
      id: 1,
      email: 'jo@demo.example',
      stores: null,
      language: 'fr',
      types: ['daily_totals', 'failed_packets', 'disabled_webhooks'],
      failing_checks_percent: 10,
      unsubscribe: expect.stringMatching(
        /^https:\/\/receipts\.example\/portal\/unsubscribe\/[\w.-]+$/,
      ) as string,
    },
  ]);
  await put('jo@demo.example', { notifications: { types: ['daily_totals'] } });
  expect((await list()).users).toMatchObject([
    { types: ['daily_totals'], language: 'de', failing_checks_percent: 5 },
  ]);
});

it('keeps the choice of a user unless the request mentions it', async () => {
  await put('jo@demo.example', { notifications: { types: ['daily_totals'] } });
  await put('jo@demo.example', { stores: [1] });
  expect((await list()).users).toMatchObject([{ types: ['daily_totals'], stores: ['1'] }]);
});

it.each([
  ['was disabled', { status: 'inactive' }],
  ['lost the permission', { group: 'clerks' }],
  ['wants none', { notifications: null }],
  ['wants no type', { notifications: { types: [] } }],
])('leaves out a user who %s', async (_what, change) => {
  await put('jo@demo.example', { notifications: { types: ['daily_totals'] } });
  await put('jo@demo.example', change);
  expect((await list()).users).toEqual([]);
  expect((await list({ retailer: 'demo', id: 1 })).users).toEqual([]);
});

it('leaves out what concerns the whole retailer for users of some stores', async () => {
  await put('jo@demo.example', { stores: [1], notifications: all });
  expect((await list()).users).toMatchObject([{ types: ['daily_totals'], stores: ['1'] }]);
});

it('names only chosen stores that the user may see, whichever reference names them', async () => {
  await put('jo@demo.example', {
    stores: ['opera', '2'],
    notifications: { types: ['daily_totals'], stores: [1, 7] },
  });
  expect((await list()).users).toMatchObject([{ stores: ['1'] }]);
  await put('jo@demo.example', { stores: ['2'] });
  expect((await list()).users).toMatchObject([{ stores: [] }]);
});

it('pages through the users of all retailers, or lists those of one', async () => {
  const emails = ['a@x.example', 'b@x.example', 'c@x.example', 'd@x.example', 'e@x.example'];
  for (const [n, email] of emails.entries()) {
    await put(email, { notifications: all }, n % 2 === 0 ? 'other' : 'demo');
  }
  const found: string[] = [];
  let after: string | undefined;
  do {
    const { users, next } = await list({ count: 2, after });
    found.push(...users.map(({ retailer, email }) => `${retailer} ${email[0]}`));
    after = next ?? undefined;
  } while (after !== undefined);
  expect(found).toEqual(['demo b', 'demo d', 'other a', 'other c', 'other e']);
  const { users } = await list({ retailer: 'demo' });
  expect(users.map(({ email }) => email[0])).toEqual(['b', 'd']);
});

it.each([
  ['an unknown type', { types: ['weekly'] }, '/notifications/types/0'],
  ['no types', {}, '/notifications/types'],
  ['a share of 0 %', { types: [], failing_checks_percent: 0 }, '/notifications/failing_checks_percent'],
  ['an unknown field', { types: [], day: 1 }, '/notifications/day'],
  ['no store', { types: [], stores: [] }, '/notifications/stores'],
])('rejects %s', async (_what, notifications, path) => {
  expect(await refusalOf(put('jo@demo.example', { notifications }))).toBe(`400 invalid_portal_user ${path}`);
});
