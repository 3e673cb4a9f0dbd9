import { receiptStoreContracts as contracts } from '@receipts/contracts';
import { idAllotter, newId } from '@receipts/kernel';
import { Harness, idSecret, refusal } from '../testing/harness';
import { callOf, retailerOf } from '../testing/samples';

const { getReceipt } = contracts;

let harness: Harness;
beforeAll(async () => {
  harness = await Harness.start();
});
afterAll(() => harness.stop());

const get = (id: string, call: ReturnType<typeof callOf>, consumer?: string[]) =>
  harness.fake.call(getReceipt, { params: { id }, query: { consumer } }, call);

test('returns the receipt with its version', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const [id] = (await harness.post(retailer, [{ identifier: 'jane' }])) as [string];
  const reply = await get(id, callOf(retailer));
  expect(JSON.parse((reply.body as Buffer).toString())).toMatchObject({ id, identifier: 'jane' });
  expect(reply.meta).toEqual({ version: 1 });
});

test('does not find a missing receipt or one of another retailer', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const other = harness.retailer((id) => retailerOf(id));
  const [id] = (await harness.post(other, [{}])) as [string];
  const missing = await refusal(get(newId(), callOf(retailer)));
  const foreign = await refusal(get(id, callOf(retailer)));
  expect(missing.toWire()).toEqual({
    status: 404,
    code: 'receipt_not_found',
    description: 'receipt not found',
  });
  expect(foreign.toWire()).toEqual(missing.toWire());
  for (const odd of ['', 'x', '../..', '\0', 'a'.repeat(5000)]) {
    expect(await refusal(get(odd, callOf(retailer)))).toMatchObject({ status: 404 });
  }
});

test('shows a caller restricted to consumers only their receipts', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const [jane, nobody] = (await harness.post(retailer, [{ identifier: 'jane' }, {}])) as [string, string];
  const confined = callOf(retailer, { consumers: ['jane', 'jane@home'] });
  expect((await get(jane, confined)).meta).toEqual({ version: 1 });
  expect(await refusal(get(nobody, confined))).toMatchObject({ status: 404 });
  expect(await refusal(get(jane, callOf(retailer, { consumers: ['joe'] })))).toMatchObject({ status: 404 });
  expect(await refusal(get(jane, callOf(retailer), ['joe']))).toMatchObject({ status: 404 });
  expect((await get(jane, callOf(retailer), ['joe', 'jane'])).meta).toEqual({ version: 1 });
});

test.each([
  ['accepted', 409, 'processing_pending'],
  ['unknown', 409, 'processing_pending'],
  ['failed', 404, 'receipt_not_found'],
  ['converted', 404, 'receipt_not_found'],
])('for a promised receipt whose packet is %s, returns %i %s', async (state, status, code) => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const id = idAllotter(idSecret).allot(retailer);
  harness.fake.answers.set('ingest.find-packet-state', () => ({ state }));
  expect(await refusal(get(id, callOf(retailer)))).toMatchObject({ status, code });
  expect(harness.fake.received.at(-1)).toMatchObject({ body: { receipt_id: id }, call: { retailer } });
});

test('returns the reason and a link to the packet for a promised receipt whose packet failed', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const id = idAllotter(idSecret).allot(retailer);
  harness.fake.answers.set('ingest.find-packet-state', () => ({
    state: 'failed',
    failed: { id, reason: 'no_mapping' },
  }));
  expect((await refusal(get(id, callOf(retailer)))).toWire()).toMatchObject({
    status: 404,
    code: 'receipt_not_found',
    extra: { packet: { id, status: 'failed', reason: 'no_mapping', href: `/pos/packets/${id}` } },
  });
});

test('says so if the packet of a promised receipt contains no receipt', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const id = idAllotter(idSecret).allot(retailer);
  harness.fake.answers.set('ingest.find-packet-state', () => ({ state: 'converted', empty: { id } }));
  expect((await refusal(get(id, callOf(retailer)))).toWire()).toMatchObject({
    status: 404,
    code: 'receipt_not_found',
    description: expect.stringContaining('contains no receipt'),
    extra: { packet: { id, status: 'converted', href: `/pos/packets/${id}` } },
  });
});

test('does not show a promised receipt to others', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const other = harness.retailer((id) => retailerOf(id));
  const id = idAllotter(idSecret).allot(retailer);
  harness.fake.answers.set('ingest.find-packet-state', () => ({ state: 'accepted' }));
  expect(await refusal(get(id, callOf(other)))).toMatchObject({ status: 404 });
  expect(await refusal(get(id, callOf(retailer, { consumers: ['jane'] })))).toMatchObject({ status: 404 });
});

test('returns a receipt that arrives while its packet is looked up', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const id = idAllotter(idSecret).allot(retailer);
  harness.fake.answers.set('ingest.find-packet-state', async () => {
    await harness.convert(retailer, 'packet', [{ id }]);
    return { state: 'converted' };
  });
  expect((await get(id, callOf(retailer))).meta).toEqual({ version: 1 });
});
