import { receiptStoreContracts as contracts } from '@receipts/contracts';
import { newId, type Call } from '@receipts/kernel';
import { Harness } from '../testing/harness';
import { callOf, retailerOf } from '../testing/samples';

let harness: Harness;
beforeAll(async () => {
  harness = await Harness.start();
  harness.fake.answers.set(
    'ingest.store-attachments',
    ({ attachments }: { attachments: Record<string, { id: string }> }) => ({
      attachments: Object.fromEntries(
        Object.entries(attachments).map(([label, { id }]) => [
          label,
          { id, url: `/attachments/${id}`, content_type: 'text/plain', filename: label, size: 1 },
        ]),
      ),
    }),
  );
});
afterAll(() => harness.stop());

const find = async (retailer: string, attachment_id: string, change: Partial<Call> = {}) => {
  const input = { body: { attachment_id } } as never;
  const reply = await harness.fake.call(contracts.findReceiptWithAttachment, input, callOf(retailer, change));
  return (reply.body as { receipt_id: string | null }).receipt_id;
};

test('finds a receipt by any of its attachments, with its current consumer', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const [terms, photo] = [newId(), newId()];
  const attachments = { terms: { id: terms }, photo: { id: photo } };
  const [id] = await harness.post(retailer, [{ attachments }, { attachments: { terms: { id: terms } } }, {}]);
  expect(await find(retailer, photo)).toBe(id);
  expect(await find(retailer, newId())).toBeNull();
  expect(
    await find(
      harness.retailer((other) => retailerOf(other)),
      photo,
    ),
  ).toBeNull();
  expect(await find(retailer, photo, { consumers: ['jane'] })).toBeNull();
  const body = { id, identifier: 'jane' };
  await harness.fake.call(contracts.assignReceipt, { query: {}, body }, callOf(retailer));
  expect(await find(retailer, photo, { consumers: ['joe', 'jane'] })).toBe(id);
  expect(await find(retailer, terms, { consumers: ['jane'] })).toBe(id);
  expect(await find(retailer, photo, { consumers: ['joe'] })).toBeNull();
});

test('reads one key, no matter how many receipts have the same attachment', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const terms = newId();
  await harness.post(
    retailer,
    Array.from({ length: 200 }, (_, n) => ({ identifier: `c${n}`, attachments: { terms: { id: terms } } })),
  );
  const plan = await harness.database.db
    .collection('receipts')
    .find({ retailer, attachments: terms, identifier: { $in: ['c7'] } })
    .limit(1)
    .explain('executionStats');
  const { totalKeysExamined, totalDocsExamined } = (plan as { executionStats: Record<string, number> })
    .executionStats;
  expect(totalKeysExamined).toBeLessThanOrEqual(3);
  expect(totalDocsExamined).toBe(1);
});
