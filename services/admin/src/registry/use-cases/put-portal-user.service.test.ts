import { type ServiceError } from '@receipts/kernel';
import { adminWorld, callOf, operatorCall, refusalOf, type AdminWorld } from '../../testing/admin-world';

let world: AdminWorld;

beforeAll(async () => {
  world = await adminWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.reset();
  const settings = { portal_groups: ['managers', 'clerks'] };
  for (const id of ['demo', 'other']) {
    await world.ask('createRetailer', { body: { id, name: `The ${id}`, settings } as never }, operatorCall());
  }
  world.events.length = 0;
});

const clerk = { group: 'clerks', status: 'active' as const };
const put = (email: string, body: object = clerk, call = callOf()) =>
  world.ask('putPortalUser', { params: { email }, body: body as never }, call);
const putAsOperator = (id: string, email: string) =>
  world.ask('putOperatorPortalUser', { params: { id, email }, body: clerk }, operatorCall());
const sendReset = (email: string, call = callOf()) =>
  world.ask('sendPasswordReset', { params: { email } }, call);
const other = () => callOf({ retailer: 'other' });
const published = () => world.events.map(({ type, sequence }) => `${type} ${sequence}`);
const resetIds = () =>
  world.events
    .map(({ data }) => (data as { reset_id?: string }).reset_id)
    .filter((id): id is string => id !== undefined);
const findReset = async (id: string) =>
  (await world.ask('findPasswordReset', { body: { reset_id: id } })).body.reset;

describe('putPortalUser', () => {
  it('creates a user, then updates it, and reports which of the two it did', async () => {
    expect((await put('jo@demo.example')).meta).toEqual({ created: true });
    expect((await put('jo@demo.example', { group: '', status: 'inactive' })).meta).toEqual({
      created: false,
    });
    expect(published()).toEqual([
      'portal_user.created 1',
      'portal_user.password_reset_requested 2',
      'portal_user.updated 3',
    ]);
    expect(world.events.at(-1)).toMatchObject({
      source: '/retailers/demo/portal_users',
      subject: '1',
      data: {
        id: 1,
        email: 'jo@demo.example',
        group: '',
        stores: null,
        status: 'inactive',
        notifications: null,
        version: 3,
      },
    });
  });

  it('keeps the stores of a user unless the request mentions them', async () => {
    const storesAfter = async (stores?: unknown) => {
      await put('jo@demo.example', { ...clerk, ...(stores !== undefined && { stores }) });
      return (world.events.at(-1)?.data as { stores: unknown }).stores;
    };
    expect(await storesAfter([1, 'opera', '1'])).toEqual(['1', 'opera']);
    expect(await storesAfter()).toEqual(['1', 'opera']);
    expect(await storesAfter(['2'])).toEqual(['2']);
    const before = world.events.length;
    expect(await storesAfter(['2'])).toEqual(['2']);
    expect(world.events).toHaveLength(before);
    expect(await storesAfter(null)).toBeNull();
  });

  it('invites a user only on request, and only once', async () => {
    await put('jo@demo.example', { ...clerk, send_password_reset_on_create: false });
    await put('jo@demo.example', { ...clerk, status: 'inactive', send_password_reset_on_create: true });
    expect(published()).toEqual(['portal_user.created 1', 'portal_user.updated 2']);
  });

  it('rejects clients that must name a consumer, because portal users see everything', async () => {
    const confined = callOf({ settings: { consumer_required: true } });
    expect(await refusalOf(put('jo@demo.example', clerk, confined))).toBe('403 permission_denied');
    expect(published()).toEqual([]);
  });

  it('changes nothing if the request is retried', async () => {
    await put('jo@demo.example');
    world.events.length = 0;
    expect((await put('jo@demo.example')).meta).toEqual({ created: false });
    expect(published()).toEqual([]);
  });

  it('treats spellings of one address as one user', async () => {
    await put('Jo.Müller@Demo.example');
    expect((await put('JO.MU\u0308LLER@demo.EXAMPLE')).meta).toEqual({ created: false });
  });

  it('creates one user for concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => put('jo@demo.example')));
    expect(answers.filter(({ meta }) => meta.created)).toHaveLength(1);
    expect(published().filter((line) => line.startsWith('portal_user.created'))).toHaveLength(1);
  });

  it.each([
    ['a group that is not configured', { ...clerk, group: 'kings' }, '/group'],
    ['no group', { status: 'active' }, '/group'],
    ['no status', { group: '' }, '/status'],
    ['an unknown status', { ...clerk, status: 'asleep' }, '/status'],
    [
      'a flag that is a string',
      { ...clerk, send_password_reset_on_create: 'no' },
      '/send_password_reset_on_create',
    ],
    ['no store', { ...clerk, stores: [] }, '/stores'],
    ['a store without a reference', { ...clerk, stores: [''] }, '/stores/0'],
    ['stores that are not a list', { ...clerk, stores: '1' }, '/stores'],
    ['an unknown field', { ...clerk, role: 'king' }, '/role'],
  ])('returns 400 for %s', async (_what, body, path) => {
    expect(await refusalOf(put('jo@demo.example', body))).toBe(`400 invalid_portal_user ${path}`);
  });

  it('cannot manage a user of another retailer, or of the operator', async () => {
    await put('jo@demo.example');
    await putAsOperator('demo', 'boss@demo.example');
    expect(await refusalOf(put('jo@demo.example', clerk, other()))).toBe('404 not_found');
    expect(await refusalOf(put('boss@demo.example'))).toBe('404 not_found');
    expect(await refusalOf(putAsOperator('other', 'jo@demo.example'))).toBe('404 not_found');
    expect(await refusalOf(putAsOperator('none', 'new@demo.example'))).toBe('404 not_found');
    expect((await putAsOperator('demo', 'jo@demo.example')).meta).toEqual({ created: false });
    expect((await putAsOperator('demo', 'boss@demo.example')).meta).toEqual({ created: false });
  });
});

describe('sendPasswordReset', () => {
  it('is allowed three times an hour, not counting the invitation', async () => {
    await put('jo@demo.example');
    for (let i = 0; i < 3; i++) {
      await sendReset('JO@demo.example');
      world.now = new Date(world.now.getTime() + 60_000);
    }
    const refused = await sendReset('jo@demo.example').catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 429, code: 'rate_limited' });
    expect((refused as ServiceError).headers).toEqual({ 'retry-after': String(57 * 60) });
    world.now = new Date(world.now.getTime() + 57 * 60_000);
    await sendReset('jo@demo.example');
    expect(await refusalOf(sendReset('jo@demo.example'))).toBe('429 rate_limited');
  });

  it('does not find users of another retailer or of the operator', async () => {
    await put('jo@demo.example');
    await putAsOperator('demo', 'boss@demo.example');
    expect(await refusalOf(sendReset('jo@demo.example', other()))).toBe('404 not_found');
    expect(await refusalOf(sendReset('boss@demo.example'))).toBe('404 not_found');
    expect(await refusalOf(sendReset('nobody@demo.example'))).toBe('404 not_found');
  });
});

describe('findPasswordReset', () => {
  it('returns the link of the latest reset for a day; no event or record contains its secret in plain text', async () => {
    await put('jo@demo.example');
    const [invited = ''] = resetIds();
    const reset = await findReset(invited);
    expect(reset).toMatchObject({
      email: 'jo@demo.example',
      expires: '2026-05-18T10:00:00.500+00:00',
      language: 'en',
      retailer: { id: 'demo', name: 'The demo' },
      is_invitation: true,
    });
    expect(reset?.link).toMatch(
      new RegExp(`^https://receipts.example/portal/password\\?token=${invited}\\.[A-Za-z0-9_-]{43}$`),
    );
    const secret = reset?.link.split('.').at(-1) ?? 'none';
    const kept = await world.database.db.collection('portal_users').find().toArray();
    expect(JSON.stringify([world.events, kept])).not.toContain(secret);

    await sendReset('jo@demo.example');
    expect(await findReset(invited)).toBeNull();
    const latest = resetIds().at(-1) ?? '';
    expect((await findReset(latest))?.link).toContain(latest);
    world.now = new Date(world.now.getTime() + 24 * 3_600_000);
    expect(await findReset(latest)).toBeNull();
  });
});
