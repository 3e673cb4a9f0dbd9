import { receiptStoreContracts as contracts } from '@receipts/contracts';
import { newId } from '@receipts/kernel';
import { until } from '@receipts/testing';
import { Harness, refusal } from '../testing/harness';
import { callOf, retailerOf } from '../testing/samples';

const { deleteReceipt, eraseConsumer, eraseRawData } = contracts;
const minuteMs = 60_000;

let harness: Harness;
let retailer: string;
beforeAll(async () => {
  harness = await Harness.start();
  harness.fake.answers.set('ingest.store-attachments', ({ attachments }: { attachments: Attachments }) => ({
    attachments: Object.fromEntries(
      Object.entries(attachments).map(([label, { id }]) => [
        label,
        { id, url: `/attachments/${id}`, content_type: 'text/plain', filename: 'jane.txt', size: 1 },
      ]),
    ),
  }));
});
afterAll(() => harness.stop());
beforeEach(() => {
  retailer = harness.retailer((id) => retailerOf(id));
  harness.discards.asked.length = 0;
  harness.discards.isComplete = true;
});

type Attachments = Record<string, { readonly id: string }>;

/** Receipts of one packet. */
async function converted(packet: string, ...receipts: { identifier?: string; attachments?: Attachments }[]) {
  const all = receipts.map((receipt) => ({ id: newId(), receipt }));
  await harness.convert(retailer, packet, all);
  return all.map(({ id }) => id);
}
const remove = (id: string) => harness.fake.call(deleteReceipt, { params: { id } }, callOf(retailer));
const erase = (identifier: string) =>
  harness.fake.call(eraseConsumer, { body: { identifier } }, callOf(retailer));
/** What ingest is asked to delete. */
const discarded = (
  packets: readonly string[],
  attachments: readonly string[] = [],
  anonymized: readonly string[] = [],
) => {
  const refs = (ids: readonly string[]) => ids.map((id) => ({ id, version: 1 }));
  return { packets: refs(packets), attachments, anonymized: refs(anonymized) };
};
const kept = (id: string) => harness.database.db.collection<{ _id: string }>('receipts').findOne({ _id: id });

test('deletes the packet and the attachments of a deleted receipt', async () => {
  const [packet, slip] = [newId(), newId()];
  const [id] = (await converted(packet, { attachments: { slip: { id: slip } } })) as [string];
  await remove(id);
  await until('the work is done', async () => !('dueAt' in ((await kept(id)) ?? {})));
  expect(harness.discards.asked).toEqual([discarded([packet], [slip])]);
});

test('asks for nothing if the receipt has no raw data', async () => {
  const [id] = (await harness.post(retailer, [{}])) as [string];
  await remove(id);
  expect(harness.discards.asked).toEqual([]);
});

test('repeats a deletion of raw data that was not complete', async () => {
  const packet = newId();
  const [id] = (await converted(packet, {})) as [string];
  harness.discards.isComplete = false;
  await remove(id);
  expect(await kept(id)).toMatchObject({ discarded: { packets: [packet] } });
  harness.discards.isComplete = true;
  harness.clock.aheadMs += minuteMs;
  await until('the work is done', async () => !('dueAt' in ((await kept(id)) ?? {})));
  expect(await kept(id)).not.toHaveProperty('discarded');
  expect(harness.discards.asked.at(-1)).toEqual(discarded([packet]));
});

test('an erased receipt keeps its figures, and what another receipt needs', async () => {
  const [packet, slip] = [newId(), newId()];
  const [id, joes] = (await converted(
    packet,
    { identifier: 'jane', attachments: { slip: { id: slip } } },
    { identifier: 'joe', attachments: { slip: { id: slip } } },
  )) as [string, string];
  const before = await harness.get(retailer, id);
  await erase('jane');
  expect(harness.discards.asked).toEqual([]);
  expect(await harness.get(retailer, id)).toEqual({ ...before, identifier: null, attachments: {} });
  await remove(joes);
  await until('the raw data is deleted', () => harness.discards.asked.length > 0);
  expect(harness.discards.asked).toEqual([discarded([packet], [slip])]);
});

test('an erasure is not done before its raw data is deleted, and continues when repeated', async () => {
  const packet = newId();
  await converted(packet, { identifier: 'jane' });
  const { receipts } = JSON.parse(
    String(
      (
        await harness.fake.call(
          contracts.listConsumerReceipts,
          { body: { identifier: 'jane', after: 0, count: 1 } },
          callOf(retailer),
        )
      ).body,
    ),
  ) as { receipts: { id: string }[] };
  const ids = receipts.map((receipt) => receipt.id);
  const again = () =>
    harness.fake.call(eraseConsumer, { body: { identifier: 'jane', receipts: ids } }, callOf(retailer));
  harness.discards.isComplete = false;
  expect(await refusal(again())).toMatchObject({ status: 503 });
  harness.discards.isComplete = true;
  expect((await again()).body).toMatchObject({ done: true });
  expect(await kept(ids[0] as string)).not.toHaveProperty('discarded');
});

test('deletes the packets of an erased consumer, and only the identifier of those that others need', async () => {
  const [failed, shared, terms] = [newId(), newId(), newId()];
  const [joes] = await converted(shared, { identifier: 'joe', attachments: { terms: { id: terms } } });
  harness.discards.packets.push(
    { id: failed, version: 1, receipts: [], attachments: [terms], identifier: 'jane' },
    { id: shared, version: 1, receipts: [joes as string], attachments: [terms], identifier: 'jane' },
  );
  const eraseRaw = () =>
    harness.fake
      .call(eraseRawData, { body: { identifier: 'jane' } }, callOf(retailer))
      .then(({ body }) => body);
  harness.discards.isComplete = false;
  expect(await eraseRaw()).toEqual({ is_complete: false });
  harness.discards.isComplete = true;
  expect(await eraseRaw()).toEqual({ is_complete: true });
  expect(harness.discards.asked.at(-1)).toEqual(discarded([failed], [], [shared]));
});

test('receipts of another retailer need nothing', async () => {
  const [packet, slip] = [newId(), newId()];
  const [id] = (await converted(packet, { attachments: { slip: { id: slip } } })) as [string];
  const found = { id: newId(), version: 1, receipts: [id], attachments: [slip] };
  harness.discards.packets.push({ ...found, identifier: 'jane' });
  const other = harness.retailer((each) => retailerOf(each));
  await harness.fake.call(eraseRawData, { body: { identifier: 'jane' } }, callOf(other));
  expect(harness.discards.asked).toEqual([discarded([found.id], [slip])]);
});
