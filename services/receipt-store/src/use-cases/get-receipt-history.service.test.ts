import { receiptStoreContracts as contracts } from '@receipts/contracts';
import { Harness } from '../testing/harness';
import { callOf, retailerOf } from '../testing/samples';

let harness: Harness;
beforeAll(async () => {
  harness = await Harness.start();
});
afterAll(() => harness.stop());

it('adds a note once, however often the broker delivers the command', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const receipt = {
    store_reference: '1',
    transaction_id: 'noted',
    localtime: '2024-05-17T14:03:22',
    items: [{ name: 'Tea', quantity: 1, total: 10 }],
    total: 10,
  };
  const [id = ''] = await harness.post(retailer, [receipt]);
  const params = { id };
  const note = { params, body: { text: 'called the customer' } };
  const call = callOf(retailer);
  for (const one of [call, call, callOf(retailer)]) {
    await harness.fake.call(contracts.addReceiptNote, note, one);
  }
  const { body } = await harness.fake.call(contracts.getReceiptHistory, { params }, callOf(retailer));
  expect((body as { notes: object[] }).notes).toEqual([
    expect.objectContaining(note.body),
    expect.objectContaining(note.body),
  ]);
});
