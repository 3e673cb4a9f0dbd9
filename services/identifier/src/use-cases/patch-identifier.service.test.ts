import { newId } from '@receipts/kernel';
import { until } from '@receipts/testing';
import { callOf, receiptEvent, refusalOf, startWorld, type World } from '../testing/world';

let world: World;
let identifier: string;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const jsonPatch = 'application/json-patch+json';
const patch = (body: unknown, call = callOf('demo'), headers: { 'if-match'?: string } = {}) =>
  world.ask('patchIdentifier', { params: { identifier }, headers, body, contentType: jsonPatch }, call);
const amend = (properties: Record<string, unknown>) =>
  world.ask(
    'patchIdentifier',
    { params: { identifier }, headers: {}, body: { properties }, contentType: 'application/json' },
    callOf('demo'),
  );
const read = async () => (await world.ask('getIdentifier', { params: { identifier } }, callOf('demo'))).body;
const properties = async () => (await read()).properties;
const updates = () =>
  world.events.filter(({ subject, type }) => subject === identifier && type === 'identifier.updated');

beforeEach(async () => {
  identifier = newId();
  const body = { identifier, properties: { city: 'Paris', 'opt-out': ['receipts', 'news'] } };
  await world.ask('createIdentifier', { body }, callOf('demo'));
});

it('changes the properties, publishes one event and moves the identifier to the top of the list', async () => {
  world.now = new Date('2026-06-01T00:00:00Z');
  const { meta } = await patch([
    { op: 'remove', path: '/properties/opt-out/0' },
    { op: 'add', path: '/properties/email', value: 'joe@example.com' },
  ]);
  expect(meta).toEqual({ version: 2 });
  const after = { city: 'Paris', 'opt-out': ['news'], email: 'joe@example.com' };
  expect(await read()).toMatchObject({
    properties: after,
    updated_timestamp: '2026-06-01T00:00:00.000+00:00',
  });
  await until('the event was published', () => updates().length > 0);
  expect(updates()).toMatchObject([{ sequence: 2, data: { identifier, properties: after } }]);
  expect(updates()[0]?.data).not.toHaveProperty('summary');
});

it('changes neither the version nor the time, and publishes nothing, for a patch without effect', async () => {
  for (const body of [[], [{ op: 'replace', path: '/properties/city', value: 'Paris' }]]) {
    expect((await patch(body)).meta).toEqual({ version: 1 });
  }
  expect(updates()).toEqual([]);
});

it('allows testing and copying read-only members', async () => {
  const id = newId();
  await world.deliver(receiptEvent('demo', 1, { id, identifier, total: 12 }));
  await patch([
    { op: 'test', path: '/summary/total', value: 12 },
    { op: 'copy', from: '/identifier', path: '/properties/card' },
  ]);
  expect(await properties()).toMatchObject({ card: identifier });
});

it('makes properties empty if they are removed as a whole', async () => {
  await patch([{ op: 'remove', path: '/properties' }]);
  expect(await properties()).toEqual({});
});

it('patches only the version in If-Match', async () => {
  const body = [{ op: 'remove', path: '/properties/city' }];
  expect(await refusalOf(patch(body, callOf('demo'), { 'if-match': '"2"' }))).toBe('412 precondition_failed');
  expect((await patch(body, callOf('demo'), { 'if-match': '"1"' })).meta).toEqual({ version: 2 });
});

it('returns 404 for unknown identifiers, other retailers, and consumers that the credential excludes', async () => {
  const known = identifier;
  for (const call of [callOf('other'), callOf('demo', { consumers: ['joe'] })]) {
    expect(await refusalOf(patch([], call))).toBe('404 identifier_not_found');
  }
  identifier = 'nobody';
  expect(await refusalOf(patch([]))).toBe('404 identifier_not_found');
  identifier = known;
  expect(await refusalOf(patch([], callOf('demo', { consumers: [known] })))).toBe('no refusal');
});

it('applies a redelivered message once', async () => {
  const call = callOf('demo');
  const body = [{ op: 'add', path: '/properties/opt-out/-', value: 'sms' }];
  await patch(body, call);
  await patch(body, call);
  expect((await properties())['opt-out']).toEqual(['receipts', 'news', 'sms']);
});

it('does not lose any of many concurrent patches', async () => {
  const tags = Array.from({ length: 10 }, (_, n) => `tag-${n}`);
  await Promise.all(tags.map((value) => patch([{ op: 'add', path: '/properties/opt-out/-', value }])));
  expect(new Set((await properties())['opt-out'] as string[])).toEqual(
    new Set(['receipts', 'news', ...tags]),
  );
  expect((await read()).identifier).toBe(identifier);
});

describe('the deprecated body', () => {
  it('sets members and keeps the others', async () => {
    await amend({ email: 'joe@example.com', name: { first: 'Joe' }, colour: null });
    expect(await properties()).toEqual({
      city: 'Paris',
      'opt-out': ['receipts', 'news'],
      email: 'joe@example.com',
      name: { first: 'Joe' },
      colour: null,
    });
  });

  it('sets, adds and removes opt-out tags', async () => {
    const tags = async () => (await properties())['opt-out'];
    await amend({ 'opt-out+=': ['sms', 'news', 'sms'] });
    expect(await tags()).toEqual(['receipts', 'news', 'sms']);
    await amend({ 'opt-out-=': ['receipts', 'unknown'], 'opt-out+=': ['mail'] });
    expect(await tags()).toEqual(['news', 'sms', 'mail']);
    await amend({ 'opt-out': ['all'] });
    expect(await tags()).toEqual(['all']);
    await amend({ 'opt-out-=': ['all'] });
    expect(await properties()).toEqual({ city: 'Paris', 'opt-out': [] });
  });

  it('adds the first tag', async () => {
    await patch([{ op: 'remove', path: '/properties/opt-out' }]);
    await amend({ 'opt-out+=': ['sms'] });
    expect((await properties())['opt-out']).toEqual(['sms']);
  });

  it.each([
    [{ 'opt-out': ['a'], 'opt-out+=': ['b'] }, 'opt-out+='],
    [{ 'opt-out': ['a'], 'opt-out-=': ['b'] }, 'opt-out-='],
    [{ 'opt-out+=': ['a'], 'opt-out-=': ['a'] }, 'opt-out-='],
    [{ 'opt-out+=': 'a' }, 'opt-out+='],
    [{ 'opt-out-=': [1] }, 'opt-out-='],
    [{ city: 7 }, 'city'],
  ])('rejects %j', async (body, at) => {
    expect(await refusalOf(amend(body))).toMatch(`422 schema_validation_failed /properties/${at}`);
  });
});

it('rejects properties that would become too large, in both formats', async () => {
  const text = 'x'.repeat(1024 * 1024);
  for (const name of ['a', 'b', 'c']) await amend({ [name]: text });
  expect(await refusalOf(amend({ d: text }))).toBe('422 patch_not_applicable');
  const copy = [{ op: 'copy', from: '/properties/a', path: '/properties/d' }];
  expect(await refusalOf(patch(copy))).toBe('422 patch_not_applicable');
  expect(Object.keys(await properties())).toEqual(['city', 'opt-out', 'a', 'b', 'c']);
});
