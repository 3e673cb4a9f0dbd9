import { randomUUID } from 'node:crypto';
import { receiptStoreContracts as contracts } from '@receipts/contracts';
import { check, idAllotter, newId, ServiceError, type Call, type JsonBody } from '@receipts/kernel';
import { Harness, idSecret, refusal } from '../testing/harness';
import { callOf, retailerOf } from '../testing/samples';

const { assignReceipt } = contracts;

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
const inputOf = (body: object, consumer?: string[]) => ({ query: { consumer }, body }) as never;
const assign = (body: object, call: Partial<Call> = {}, consumer?: string[]) =>
  harness.fake.call(assignReceipt, inputOf(body, consumer), callOf(retailer, call));
const identifierOf = async (id: string) => (await harness.get(retailer, id)).identifier;
const codeOf = async (work: Promise<unknown>) => {
  const { status, code } = await refusal(work);
  return `${status} ${code}`;
};

test('assigns a receipt by any of its ids, and publishes its consumer', async () => {
  const transaction_id = newId();
  const external_id = randomUUID();
  const [a, b, c] = [await post(), await post({ transaction_id }), await post({ external_id })];
  await assign({ id: a, identifier: 'jane' });
  await assign({ transaction_id, identifier: 'jane' });
  await assign({ external_id: external_id.toUpperCase(), identifier: 'jane' });
  for (const id of [a, b, c]) {
    expect(await identifierOf(id)).toBe('jane');
    await harness.flushEvents();
    // A receipt that is changed right after its creation may be published twice, with the same event.
    const byId = new Map(harness.fake.published.map((event) => [event.id, event]));
    const published = [...byId.values()].filter(({ subject }) => subject === id);
    expect(published.map(({ type, sequence }) => `${type} ${sequence}`)).toEqual([
      'receipt.created 1',
      'receipt.assigned 2',
    ]);
    expect(published[1]?.data).toMatchObject({ id, identifier: 'jane', total: 10 });
  }
});

test('returns the receipt if the client’s settings request it', async () => {
  const id = await post();
  const silentReply = await assign({ id, identifier: 'jane' });
  expect(silentReply).toEqual({ body: undefined, meta: { version: 2, returned: false } });
  const reply = await assign({ id, identifier: 'jane' }, { settings: { assign_returns_receipt: true } });
  expect(reply.meta).toEqual({ version: 2, returned: true });
  expect(JSON.parse((reply.body as Buffer).toString())).toEqual(await harness.get(retailer, id));
});

test('succeeds for the same identifier again, and rejects another identifier', async () => {
  const id = await post({ identifier: 'jane' });
  expect((await assign({ id, identifier: 'jane' })).meta).toMatchObject({ version: 1 });
  expect(await codeOf(assign({ id, identifier: 'joe' }))).toBe('422 receipt_already_assigned');
  expect(await identifierOf(id)).toBe('jane');
});

test('assigns the receipt to only one of many consumers who claim it concurrently', async () => {
  const id = await post();
  const outcomes = await harness.fake.callAll(
    assignReceipt,
    Array.from({ length: 20 }, (_, n) => ({
      input: inputOf({ id, identifier: `c${n}` }),
      call: callOf(retailer),
    })),
  );
  const winners = outcomes.flatMap((outcome, n) => (outcome instanceof ServiceError ? [] : [`c${n}`]));
  expect(winners).toEqual([await identifierOf(id)]);
  for (const outcome of outcomes) {
    if (outcome instanceof ServiceError) expect(outcome.code).toBe('receipt_already_assigned');
  }
});

test('requires the identifier to be one of the consumers in the parameter or the signature', async () => {
  const id = await post();
  const mismatch = {
    status: 403,
    description: "identifier and consumers don't match",
    code: 'consumer_mismatch',
  };
  expect((await refusal(assign({ id, identifier: 'joe' }, {}, ['jane']))).toWire()).toEqual(mismatch);
  const signed = { consumers: ['jane', '4711'] };
  expect((await refusal(assign({ id, identifier: 'joe' }, signed))).toWire()).toEqual(mismatch);
  // The receipt has no consumer yet, so a restricted caller cannot read it, but may claim it.
  await assign({ id, identifier: '4711' }, signed);
  expect(await identifierOf(id)).toBe('4711');
});

test('does not find a missing receipt or one of another retailer', async () => {
  harness.fake.answers.set('ingest.find-packet-state', () => ({ state: 'unknown' }));
  const other = harness.retailer((id) => retailerOf(id));
  const [foreign] = (await harness.post(other, [{}])) as [string];
  const names = [{ id: newId() }, { id: foreign }, { transaction_id: 'x' }, { external_id: randomUUID() }];
  for (const name of names) {
    expect(await codeOf(assign({ ...name, identifier: 'x' }))).toBe('422 receipt_not_found');
  }
});

test('reports a raw receipt as pending while it is being converted, even to a consumer', async () => {
  const id = idAllotter(idSecret).allot(retailer);
  harness.fake.answers.set('ingest.find-packet-state', () => ({ state: 'unknown' }));
  for (const call of [{}, { consumers: ['jane'] }]) {
    expect(await codeOf(assign({ id, identifier: 'jane' }, call))).toBe('409 processing_pending');
  }
  harness.fake.answers.set('ingest.find-packet-state', () => ({ state: 'failed' }));
  expect(await codeOf(assign({ id, identifier: 'jane' }))).toBe('422 receipt_not_found');
});

test('reports a raw receipt as pending by the till’s external id as well', async () => {
  const external_id = randomUUID();
  harness.fake.answers.set('ingest.find-packet-state', () => ({ state: 'accepted' }));
  expect(await codeOf(assign({ external_id, identifier: 'jane' }))).toBe('409 processing_pending');
  expect(harness.fake.received.at(-1)).toMatchObject({ body: { external_id }, call: { retailer } });
  harness.fake.answers.set('ingest.find-packet-state', () => ({ state: 'unknown' }));
  expect(await codeOf(assign({ external_id, identifier: 'jane' }))).toBe('422 receipt_not_found');
  harness.fake.answers.set('ingest.find-packet-state', async () => {
    await post({ external_id });
    return { state: 'converted' };
  });
  expect((await assign({ external_id, identifier: 'jane' })).meta).toMatchObject({ version: 2 });
});

test('repeats the bytes of the receipt for a retry with the same idempotency key', async () => {
  const id = await post();
  const call = { idempotencyKey: newId(), settings: { assign_returns_receipt: true } };
  const first = await assign({ id, identifier: 'jane' }, call);
  const again = await assign({ id, identifier: 'jane' }, call);
  expect(again).toMatchObject({ meta: first.meta, replayed: true });
  expect((again.body as Buffer).equals(first.body as Buffer)).toBe(true);
});

test.each<[string, object, string[]]>([
  ['none of the three', { identifier: 'x' }, ['/id']],
  ['two of the three', { id: 'a', transaction_id: 'b', identifier: 'x' }, ['/transaction_id']],
  ['no identifier', { id: 'a' }, ['/identifier']],
  ['a query operator', { id: { $ne: null }, identifier: 'x' }, ['/id']],
  ['an unknown key', { id: 'a', identifier: 'x', colour: 'red' }, ['/colour']],
  ['all of them', { colour: 'red' }, ['/colour', '/id', '/identifier']],
])('rejects %s as a schema violation', (_what, body, paths) => {
  const schema = (assignReceipt.body as JsonBody).variants['application/json'];
  let errors: readonly { path: string }[] | undefined;
  try {
    if (schema) check(schema, body);
  } catch (error) {
    errors = (error as ServiceError).errors;
  }
  expect(errors?.map(({ path }) => path).sort()).toEqual(paths);
});
