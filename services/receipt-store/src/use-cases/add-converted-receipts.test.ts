import { receiptStoreContracts as contracts } from '@receipts/contracts';
import { newId } from '@receipts/kernel';
import { Harness } from '../testing/harness';
import { callOf, postedReceipt, retailerOf } from '../testing/samples';

let harness: Harness;
beforeAll(async () => {
  harness = await Harness.start();
});
afterAll(() => harness.stop());

test("stores the packet's id in its receipts, each with its own outcome", async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const transaction_id = newId();
  const [one, two] = [newId(), newId()];
  const results = await harness.convert(retailer, 'packet-1', [
    { id: one, receipt: { transaction_id } },
    { id: two, receipt: { transaction_id } },
  ]);
  expect(results).toEqual([
    { id: one },
    { error: expect.objectContaining({ status: 409, code: 'duplicate_transaction_id', extra: { id: one } }) },
  ]);
  expect((await harness.get(retailer, one)).pos_data_ids).toEqual(['packet-1']);
});

test('succeeds for a redelivered packet and stores nothing twice', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const receipts = [
    { id: newId(), receipt: { transaction_id: newId() } },
    { id: newId(), receipt: { transaction_id: newId(), duplicate: true } },
  ];
  const first = await harness.convert(retailer, 'packet-1', receipts);
  expect(await harness.convert(retailer, 'packet-1', receipts)).toEqual(first);
  expect(await harness.database.db.collection('receipts').countDocuments({ retailer })).toBe(2);
});

test('stores concurrent packets together, and returns to each the results of its own receipts', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const taken = newId();
  await harness.post(retailer, [{ transaction_id: taken }]);
  const packets = Array.from({ length: 40 }, (_, n) => ({
    pos_data_id: `packet-${n}`,
    receipts: Array.from({ length: n % 3 === 0 ? 12 : 1 }, (_, at) => ({
      id: newId(),
      receipt: postedReceipt(n === 7 && at === 0 ? { transaction_id: taken } : {}),
    })),
  }));
  const replies = await harness.fake.callAll(
    contracts.addConvertedReceipts,
    packets.map((body) => ({ input: { body }, call: callOf(retailer) })),
  );
  expect(replies).toEqual(
    packets.map(({ receipts }, n) => ({
      body: {
        results:
          n === 7
            ? [{ error: expect.objectContaining({ code: 'duplicate_transaction_id' }) }]
            : receipts.map(({ id }) => ({ id })),
      },
    })),
  );
});

test('creates receipts from a restricted credential’s packet only for the credential’s consumers, and keeps them restricted', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const [own, foreign, nobodys] = [newId(), newId(), newId()];
  const body = {
    pos_data_id: 'packet-1',
    receipts: [
      { id: own, receipt: postedReceipt({ identifier: 'jane' }) },
      { id: foreign, receipt: postedReceipt({ identifier: 'joe' }) },
      { id: nobodys, receipt: postedReceipt({}) },
    ],
  };
  const call = callOf(retailer, { consumers: ['jane', 'jane@home'] });
  const reply = await harness.fake.call(contracts.addConvertedReceipts, { body }, call);
  const refused = { error: expect.objectContaining({ status: 403, code: 'consumer_mismatch' }) };
  expect(reply.body).toEqual({ results: [{ id: own }, refused, refused] });
  await harness.published();
  const published = harness.fake.figures.filter((event) => event.retailer === retailer);
  expect(published.map(({ subject, data }) => [subject, data])).toEqual([
    [own, expect.objectContaining({ confined_to: ['jane', 'jane@home'] })],
  ]);
});
