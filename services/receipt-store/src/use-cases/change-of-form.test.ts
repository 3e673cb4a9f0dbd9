import { receiptStoreContracts as contracts } from '@receipts/contracts';
import type * as ReceiptForm from '../domain/receipt-form';
import { Harness } from '../testing/harness';
import { callOf, retailerOf } from '../testing/samples';

/** A later release: format 2 has an additional field. */
jest.mock('../domain/receipt-form', () => {
  const { converted } = jest.requireActual<typeof ReceiptForm>('../domain/receipt-form');
  const upcast: ReceiptForm.Upcast = (receipt) => ({ ...receipt, tip: null });
  const inPresentForm = (stored: { text?: string; form?: number }) => converted(stored, [upcast]);
  return { receiptForm: 2, inPresentForm };
});

let harness: Harness;

beforeAll(async () => {
  harness = await Harness.start();
});

afterAll(() => harness.stop());

test('converts a receipt in an earlier format when reading it, and stores the current format when reindexing', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const [id = ''] = await harness.post(retailer, [{}]);
  const collection = harness.database.db.collection<{ _id: string }>('receipts');
  const stored = async () => {
    const { text = '', form } = (await collection.findOne({ _id: id })) as { text?: string; form?: number };
    return { receipt: JSON.parse(text) as Record<string, unknown>, form };
  };
  const reindex = async () =>
    (await harness.fake.call(contracts.reindexReceipts, { params: { id: retailer }, body: {} }, callOf('')))
      .body;
  const { receipt } = await stored();
  await collection.updateOne({ _id: id }, { $set: { form: 1 } });
  const input = { params: { id }, query: {} };
  const read = await harness.read<object>(contracts.getReceipt, input as never, callOf(retailer));
  expect(read).toEqual({ ...receipt, tip: null });
  expect(await reindex()).toMatchObject({ examined: 1, changed: 1 });
  expect(await stored()).toEqual({ receipt: read, form: 2 });
  expect(await reindex()).toMatchObject({ examined: 1, changed: 0 });
});
