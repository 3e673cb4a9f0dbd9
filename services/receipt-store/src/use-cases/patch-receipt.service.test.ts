import { receiptStoreContracts as contracts, type ReturnedReceipt } from '@receipts/contracts';
import { idAllotter, newId, ServiceError, type Call } from '@receipts/kernel';
import { silentLog } from '@receipts/testing';
import type { ReceiptStore } from './create-dependencies';
import { startService } from '../service';
import { FakeBroker } from '@receipts/messaging/testing';
import { Harness, idSecret, publicUrl, receiptBytesMax, refusal } from '../testing/harness';
import { callOf, retailerOf, storeOf } from '../testing/samples';

const { patchReceipt } = contracts;
const permissions = ['view.patch_receipt', 'view.unassign_receipt'];

let harness: Harness;
let retailer: string;
beforeAll(async () => {
  harness = await Harness.start();
});
afterAll(() => harness.stop());
beforeEach(() => {
  retailer = harness.retailer((id) => retailerOf(id));
});

const post = async (change: Parameters<Harness['post']>[1][number] = {}) =>
  (await harness.post(retailer, [change]))[0] as string;

interface RequestOptions {
  readonly ifMatch?: string;
  readonly contentType?: string;
  readonly call?: Partial<Call>;
}

const inputOf = (id: string, body: unknown, { ifMatch, contentType }: RequestOptions = {}) =>
  ({
    params: { id },
    headers: { ...(ifMatch !== undefined && { 'if-match': ifMatch }) },
    body,
    contentType: contentType ?? 'application/json-patch+json',
  }) as never;

async function patch(id: string, body: unknown, asked: RequestOptions = {}) {
  const call = callOf(retailer, { permissions, ...asked.call });
  const { body: bytes, meta } = await harness.fake.call(patchReceipt, inputOf(id, body, asked), call);
  return { receipt: JSON.parse((bytes as Buffer).toString()) as ReturnedReceipt, ...meta };
}

const eventsOf = (id: string) =>
  harness.fake.published
    .filter(({ subject, type }) => subject === id && type !== 'receipt.created')
    .map(({ type, sequence, data }) => ({ type, sequence, data }));

const codeOf = async (work: Promise<unknown>) => {
  const { status, code } = await refusal(work);
  return `${status} ${code}`;
};

const set = (path: string, value: unknown) => [{ op: 'add', path, value }];

test('changes modifiable fields, and returns the stored receipt', async () => {
  const id = await post({ incomplete: true });
  const { receipt, version } = await patch(id, [
    ...set('/identifier', 'jane'),
    ...set('/properties/note', { deep: [1, null] }),
    ...set('/items/0/return', { localtime: '2024-06-01T10:00:00' }),
    ...set('/incomplete', false),
    { op: 'copy', from: '/transaction_id', path: '/properties/copy' },
  ]);
  expect(receipt).toMatchObject({
    identifier: 'jane',
    incomplete: false,
    properties: { note: { deep: [1, null] }, copy: receipt.transaction_id },
  });
  // Shown in full, with the offset of the receipt's time zone.
  expect(receipt.items[0]?.return).toEqual({
    localtime: '2024-06-01T10:00:00+02:00',
    reason: null,
    properties: {},
  });
  expect(version).toBe(2);
  expect(await harness.get(retailer, id)).toEqual(receipt);
});

test('replaces removed fields with their empty value', async () => {
  const id = await post({ identifier: 'jane', incomplete: true, properties: { a: 1 } });
  await patch(id, set('/items/0/return', { localtime: '2024-06-01T10:00:00+02:00' }));
  const paths = ['/identifier', '/incomplete', '/properties', '/items/0/return'];
  const { receipt } = await patch(
    id,
    paths.map((path) => ({ op: 'remove', path })),
  );
  expect(receipt).toMatchObject({ identifier: null, incomplete: false, properties: {} });
  expect(receipt.items[0]?.return).toBeNull();
});

test('publishes the receipt after the change, and a second event if it gets a consumer', async () => {
  const id = await post();
  const { receipt } = await patch(id, set('/identifier', 'jane'));
  const facts = { id, identifier: 'jane', total: 10, currency: 'EUR' };
  expect(eventsOf(id)).toEqual([
    { type: 'receipt.updated', sequence: 2, data: expect.objectContaining({ ...facts, receipt }) },
    { type: 'receipt.assigned', sequence: 2, data: expect.not.objectContaining({ receipt }) },
  ]);
  await patch(id, set('/identifier', 'joe'));
  await patch(id, set('/properties/a', 1));
  expect(eventsOf(id).map(({ type, sequence }) => `${type} ${sequence}`)).toEqual([
    'receipt.updated 2',
    'receipt.assigned 2',
    'receipt.updated 3',
    'receipt.updated 4',
  ]);
});

test.each([
  ['an empty patch', []],
  ['a test that succeeds', [{ op: 'test', path: '/total', value: 10 }]],
  ['the existing value', set('/incomplete', false)],
  ['a change and its reversal', [...set('/properties/a', 1), { op: 'remove', path: '/properties/a' }]],
])('does not change or publish anything for %s', async (_what, operations) => {
  const id = await post();
  expect((await patch(id, operations)).version).toBe(1);
  expect(eventsOf(id)).toEqual([]);
});

test.each<[string, string, unknown]>([
  ['422 field_not_modifiable', 'another field', set('/total', 1)],
  ['422 field_not_modifiable', 'the whole receipt', set('', {})],
  ['422 field_not_modifiable', 'an item', set('/items/0', {})],
  ['422 field_not_modifiable', 'a path below the identifier', set('/identifier/x', 'x')],
  [
    '422 field_not_modifiable',
    'a move out of a fixed field',
    [{ op: 'move', from: '/total', path: '/properties/a' }],
  ],
  ['422 patch_not_applicable', 'a path that does not exist', set('/properties/a/b', 1)],
  ['422 patch_not_applicable', 'a prototype', set('/properties/__proto__/x', 1)],
  ['422 schema_validation_failed', 'an identifier that is not a string', set('/identifier', 5)],
  ['422 schema_validation_failed', 'an empty identifier', set('/identifier', '')],
  ['422 schema_validation_failed', 'a known property of another type', set('/properties/email', 5)],
  ['422 schema_validation_failed', 'a return without a time', set('/items/0/return', { reason: 'x' })],
  [
    '409 patch_test_failed',
    'a test that fails',
    [...set('/properties/a', 1), { op: 'test', path: '/total', value: 1 }],
  ],
  ['400 malformed_patch', 'a body that is not a patch', { op: 'add' }],
])('returns %s for %s, and changes nothing', async (code, _what, operations) => {
  const id = await post();
  const before = await harness.get(retailer, id);
  expect(await codeOf(patch(id, operations))).toBe(code);
  expect(await harness.get(retailer, id)).toEqual(before);
  expect(eventsOf(id)).toEqual([]);
});

test('reports faults in the result with their paths', async () => {
  const error = await refusal(
    patch(await post(), [
      ...set('/incomplete', 'no'),
      ...set('/items/0/return', { localtime: 'x', colour: 1 }),
    ]),
  );
  expect(error.errors?.map(({ path }) => path).sort()).toEqual([
    '/incomplete',
    '/items/0/return/colour',
    '/items/0/return/localtime',
  ]);
});

test('requires a separate permission to remove a receipt’s consumer', async () => {
  const id = await post({ identifier: 'jane' });
  const call = { permissions: ['view.patch_receipt'] };
  for (const operations of [[{ op: 'remove', path: '/identifier' }], set('/identifier', null)]) {
    expect(await codeOf(patch(id, operations, { call }))).toBe('403 permission_denied');
  }
  expect((await patch(id, set('/identifier', 'joe'), { call })).receipt.identifier).toBe('joe');
  expect((await patch(id, [{ op: 'remove', path: '/identifier' }])).receipt.identifier).toBeNull();
});

test('changes the identifier with the deprecated body', async () => {
  const contentType = 'application/json';
  const { receipt } = await patch(await post(), { identifier: 'jane' }, { contentType });
  expect(receipt.identifier).toBe('jane');
});

test('applies a patch with If-Match only to the version that the caller has seen', async () => {
  const id = await post();
  expect((await patch(id, set('/properties/a', 1), { ifMatch: '"1"' })).version).toBe(2);
  expect(await codeOf(patch(id, set('/properties/a', 2), { ifMatch: '"1"' }))).toBe(
    '412 precondition_failed',
  );
});

test('allows a caller restricted to consumers to patch only their receipts, without assigning them to others', async () => {
  const id = await post({ identifier: 'jane' });
  const jane = { call: { consumers: ['jane', 'jane@home'] } };
  expect((await patch(id, set('/properties/a', 1), jane)).version).toBe(2);
  expect((await patch(id, set('/identifier', 'jane@home'), jane)).version).toBe(3);
  expect(await codeOf(patch(id, set('/identifier', 'joe'), jane))).toBe('403 consumer_mismatch');
  const foreign = { call: { consumers: ['joe'] } };
  const missing = await refusal(patch(newId(), [], foreign));
  expect((await refusal(patch(id, [], foreign))).toWire()).toEqual(missing.toWire());
  expect(missing).toMatchObject({ status: 404, code: 'receipt_not_found' });
});

test('reports a promised receipt as pending, and patches it if it has arrived in the meantime', async () => {
  const id = idAllotter(idSecret).allot(retailer);
  harness.fake.answers.set('ingest.find-packet-state', () => ({ state: 'accepted' }));
  expect(await codeOf(patch(id, []))).toBe('409 processing_pending');
  expect(await codeOf(patch(id, [], { call: { consumers: ['x'] } }))).toBe('404 receipt_not_found');
  harness.fake.answers.set('ingest.find-packet-state', async () => {
    await harness.convert(retailer, 'packet', [{ id }]);
    return { state: 'converted' };
  });
  expect((await patch(id, set('/identifier', 'jane'))).version).toBe(2);
});

test('reflects the change in lists and searches, including the name of the store', async () => {
  harness.stores.push(storeOf(retailer));
  const id = await post({ store_reference: 'opera' });
  await patch(id, [...set('/identifier', 'jane'), ...set('/properties/email', 'jane@example.com')]);
  const ids = async (
    contract: typeof contracts.listReceiptsV1 | typeof contracts.searchReceipts,
    query: object,
  ) => {
    const answer = await harness.read<{ receipts?: { id: string }[] } | { id: string }[]>(
      contract,
      { query: { count: 20, offset: 0, ...query } },
      callOf(retailer),
    );
    return (Array.isArray(answer) ? answer : (answer.receipts ?? [])).map((receipt) => receipt.id);
  };
  expect(await ids(contracts.listReceiptsV1, { consumer: ['jane'] })).toEqual([id]);
  for (const query of [
    'identifier:jane',
    'properties.email:jane',
    '+store_id:7 +external_store_reference:opera',
  ]) {
    expect([query, await ids(contracts.searchReceipts, { query })]).toEqual([query, [id]]);
  }
  await patch(id, [{ op: 'remove', path: '/identifier' }]);
  expect(await ids(contracts.listReceiptsV1, { consumer: ['jane'] })).toEqual([]);
  expect(await ids(contracts.searchReceipts, { query: 'identifier:jane' })).toEqual([]);
});

test('preserves keys that databases do not support', async () => {
  const text = '{"__proto__":{"polluted":1},"$where":"x","a.b":{"$ref":"x"},"nul\\u0000":1,"lone":"\\ud800"}';
  const id = await post({ properties: JSON.parse(text) as Record<string, unknown> });
  const { receipt } = await patch(id, set('/incomplete', true));
  expect(JSON.stringify(receipt.properties)).toBe(text);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('makes no further change for a redelivered message, and returns the same reply', async () => {
  const id = await post({ properties: { list: [] } });
  const call = callOf(retailer, { permissions });
  const input = inputOf(id, set('/properties/list/-', 1), { ifMatch: '"1"' });
  const first = await harness.fake.call(patchReceipt, input, call);
  expect(await harness.fake.call(patchReceipt, input, call)).toEqual(first);
});

describe('with two processes of the service', () => {
  const other = new FakeBroker();
  let copy: ReceiptStore;
  beforeAll(async () => {
    for (const [name, answer] of harness.fake.answers) other.answers.set(name, answer);
    copy = await startService({
      broker: other,
      database: harness.database,
      log: silentLog,
      idSecret,
      publicUrl,
      receiptBytesMax,
    });
  });
  afterAll(() => copy.stop());

  test('applies each patch once if two processes patch the same receipt', async () => {
    const id = await post({ properties: { list: [] } });
    const deadline = Date.now() + 60_000;
    const items = Array.from({ length: 100 }, (_, n) => ({
      input: inputOf(id, set('/properties/list/-', n)),
      call: callOf(retailer, { permissions, deadline }),
    }));
    const halves = await Promise.all([
      harness.fake.callAll(patchReceipt, items.slice(0, 50)),
      other.callAll(patchReceipt, items.slice(50)),
    ]);
    const statuses = halves.flat().map((outcome) => (outcome instanceof ServiceError ? outcome.status : 200));
    const of = (status: number) => statuses.flatMap((one, n) => (one === status ? [n] : []));
    const [done, late] = [of(200), of(503)];
    expect(done.length + late.length + of(409).length).toBe(items.length);
    const { properties } = await harness.get(retailer, id);
    const found = properties['list'] as number[];
    // On a machine that is too busy for the time limit, the outcome of the request is unknown.
    expect(found.filter((n) => !late.includes(n)).sort((a, b) => a - b)).toEqual(done);
    expect(new Set(found).size).toBe(found.length);
    expect(done.length + late.length).toBeGreaterThan(50);
    const { meta } = await harness.fake.call(
      contracts.getReceipt,
      { params: { id }, query: {} },
      callOf(retailer),
    );
    expect(meta).toEqual({ version: 1 + found.length });
  });
});
