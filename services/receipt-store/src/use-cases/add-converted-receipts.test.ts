import { newId } from '@receipts/kernel';
import { Harness } from '../testing/harness';
import { retailerOf } from '../testing/samples';

let harness: Harness;
beforeAll(async () => {
  harness = await Harness.start();
}, 60_000);
afterAll(() => harness.stop());

test('receipts of a packet name it, and each has an outcome of its own', async () => {
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

test('the same packet again is a success and stores nothing twice', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const receipts = [
    { id: newId(), receipt: { transaction_id: newId() } },
    { id: newId(), receipt: { transaction_id: newId(), duplicate: true } },
  ];
  const first = await harness.convert(retailer, 'packet-1', receipts);
  expect(await harness.convert(retailer, 'packet-1', receipts)).toEqual(first);
  expect(await harness.store.db.collection('receipts').countDocuments({ retailer })).toBe(2);
});
