import { receiptStoreContracts as contracts } from '@receipts/contracts';
import { readGiftId } from '../domain/gift';
import { Harness } from '../testing/harness';
import { callOf, retailerOf } from '../testing/samples';

let harness: Harness;
beforeAll(async () => {
  harness = await Harness.start();
});
afterAll(() => harness.stop());

it('ends with an erasure, after which another may be created that lasts', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const receipt = {
    store_reference: '1',
    transaction_id: 'given',
    identifier: 'ann',
    localtime: '2024-05-17T14:03:22',
    items: [{ name: 'Tea', quantity: 1, total: 10 }],
    total: 10,
  };
  const [id = ''] = await harness.post(retailer, [receipt]);
  const params = { id };
  const gift = async () => {
    const input = { params, body: {} };
    const { body } = await harness.fake.call(contracts.createGiftReceipt, input, callOf(retailer));
    return readGiftId((body as { gift_id: string }).gift_id)?.version ?? 0;
  };
  const find = (version: number) =>
    harness.fake.call(contracts.findGiftReceipt, { body: { receipt_id: id, version } }, callOf(retailer));
  const before = await gift();
  await harness.fake.call(contracts.eraseConsumer, { body: { identifier: 'ann' } }, callOf(retailer));
  await expect(find(before)).rejects.toMatchObject({ status: 410, code: 'gift_ended' });

  const after = await gift();
  const patch = {
    params,
    headers: {},
    contentType: 'application/json-patch+json' as const,
    body: [{ op: 'replace', path: '/incomplete', value: true }],
  };
  await harness.fake.call(contracts.patchReceipt, patch, callOf(retailer));
  expect((await find(after)).body).toMatchObject({ items: [{ name: 'Tea' }] });
});
