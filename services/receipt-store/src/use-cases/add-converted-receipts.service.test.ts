import { receiptStoreContracts as contracts } from '@receipts/contracts';
import { newId, ServiceError, unavailable } from '@receipts/kernel';
import { refusalOf } from '@receipts/testing';
import { convertedPacket, Harness } from '../testing/harness';
import { callOf, postedReceipt, retailerOf } from '../testing/samples';

let harness: Harness;
beforeAll(async () => {
  harness = await Harness.start();
});
afterAll(() => harness.stop());

test("stores the packet's id in its receipts, and reports their ids to ingest", async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const [packet, one, two] = [newId(), newId(), newId()];
  expect(await harness.convert(retailer, packet, [{ id: one }, { id: two }])).toEqual({
    id: packet,
    attempt: 1,
    mapping: { id: 'm', version: 2 },
    receiptIds: [one, two],
    failure: null,
  });
  expect((await harness.get(retailer, one)).pos_data_ids).toEqual([packet]);
});

test('reports a failure for a taken transaction id, with the position, and the ids of the other receipts', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const transaction_id = newId();
  const [packet, one, two] = [newId(), newId(), newId()];
  const receipts = [one, two].map((id) => ({ id, receipt: { transaction_id } }));
  expect(await harness.convert(retailer, packet, receipts)).toMatchObject({
    receiptIds: [one],
    failure: {
      reason: 'duplicate_transaction_id',
      errors: [
        {
          path: '/1',
          code: 'duplicate_transaction_id',
          part: 1,
          message: expect.stringMatching(new RegExp(`: ${transaction_id}$`)),
        },
      ],
    },
  });
});

test('reports the errors of a rejected receipt under its index', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const attachments = { slip: { id: newId() } };
  harness.fake.answers.set('ingest.store-attachments', () => {
    const errors = [{ path: '/attachments/slip/id', code: 'attachment_not_found', message: 'not found' }];
    throw new ServiceError({ status: 422, code: 'attachment_not_found', description: 'no' }, { errors });
  });
  const receipts = [{ id: newId() }, { id: newId(), receipt: { attachments } }];
  const { failure } = await harness.convert(retailer, newId(), receipts);
  expect(failure).toEqual({
    reason: 'invalid_receipt',
    errors: [{ path: '/1/attachments/slip/id', code: 'attachment_not_found', message: 'not found', part: 1 }],
  });
});

test('has the same outcome for a redelivered packet, and stores nothing twice', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const receipts = [
    { id: newId(), receipt: { transaction_id: newId() } },
    { id: newId(), receipt: { transaction_id: newId(), duplicate: true } },
  ];
  const packet = newId();
  const first = await harness.convert(retailer, packet, receipts);
  expect(await harness.convert(retailer, packet, receipts)).toEqual(first);
  expect(await harness.database.db.collection('receipts').countDocuments({ retailer })).toBe(2);
});

test('keeps a packet while something is unavailable, and then stores and reports it', async () => {
  const retailer = harness.retailer((id) =>
    retailerOf(id, { stores: { from_receipt: false, require_known: true } }),
  );
  const [packet, other] = [newId(), newId()];
  const findStore = harness.fake.answers.get('admin.find-store');
  harness.fake.answers.set('admin.find-store', () => {
    throw new ServiceError(unavailable);
  });
  const receipts = [{ id: newId(), receipt: { store_reference: 'unknown so far' } }];
  const work = () => harness.convert(retailer, packet, receipts);
  expect(await refusalOf(work())).toBe('503 unavailable');
  expect(() => harness.outcomeOf(packet)).toThrow();
  harness.fake.answers.set('admin.find-store', findStore as never);
  expect((await work()).failure).not.toBeNull();
  const send = jest.spyOn(harness.fake, 'send').mockRejectedValueOnce(new ServiceError(unavailable));
  const again = () =>
    harness.convert(
      harness.retailer((id) => retailerOf(id)),
      other,
      [{ id: newId() }],
    );
  expect(await refusalOf(again())).toBe('503 unavailable');
  send.mockRestore();
});

test('stores concurrent packets together, and reports for each the outcome of its own receipts', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const taken = newId();
  await harness.post(retailer, [{ transaction_id: taken }]);
  const packets = Array.from({ length: 40 }, (_, n) =>
    convertedPacket(
      newId(),
      Array.from({ length: n % 3 === 0 ? 12 : 1 }, (__, at) => ({
        id: newId(),
        receipt: n === 7 && at === 0 ? { transaction_id: taken } : {},
      })),
    ),
  );
  await harness.fake.callAll(
    contracts.addConvertedReceipts,
    packets.map((body) => ({ input: { body }, call: callOf(retailer) })),
  );
  expect(packets.map(({ pos_data_id: id }) => harness.outcomeOf(id))).toMatchObject(
    packets.map(({ receipts }, n) =>
      n === 7
        ? { receiptIds: [], failure: { reason: 'duplicate_transaction_id' } }
        : { receiptIds: receipts.map(({ id }) => id), failure: null },
    ),
  );
});

test('creates receipts from a restricted credential’s packet only for the credential’s consumers, and keeps them restricted', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const [own, foreign, nobodys] = [newId(), newId(), newId()];
  const receipts = [
    { id: own, receipt: postedReceipt({ identifier: 'jane' }) },
    { id: foreign, receipt: postedReceipt({ identifier: 'joe' }) },
    { id: nobodys, receipt: postedReceipt({}) },
  ];
  const consumers = ['jane', 'jane@home'];
  const refused = { code: 'consumer_mismatch' };
  expect(await harness.convert(retailer, newId(), receipts, { consumers })).toMatchObject({
    receiptIds: [own],
    failure: {
      reason: 'invalid_receipt',
      errors: [
        { path: '/1', ...refused },
        { path: '/2', ...refused },
      ],
    },
  });
  await harness.flushEvents();
  const published = harness.fake.figures.filter((event) => event.retailer === retailer);
  expect(published.map(({ subject, data }) => [subject, data])).toEqual([
    [own, expect.objectContaining({ confined_to: consumers })],
  ]);
});
