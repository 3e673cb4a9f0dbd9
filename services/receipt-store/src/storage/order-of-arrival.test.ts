import type { Collection } from 'mongodb';
import { newId } from '@receipts/kernel';
import { connectStore, type Store } from '@receipts/storage';
import { startMongo, testDatabase, type Mongo } from '@receipts/testing';
import { silent } from '../testing/harness';
import { AbandonedBlocks } from './abandoned-blocks';
import { receiptCollection, type StoredReceipt } from './receipt-document';
import { Receipts, type NewReceipt } from './receipts';
import { sequenceCollection, sequenceUpdate, type SequenceDocument } from './sequence';
import { Sequencer } from './sequencer';
import { Watermarks } from './watermarks';

let mongo: Mongo;
let store: Store;
let collection: Collection<StoredReceipt>;
let sequences: Collection<SequenceDocument>;

beforeAll(async () => {
  mongo = await startMongo();
  store = await connectStore({ uri: mongo.uri, database: testDatabase(), service: 'test', log: silent });
  collection = await store.collection<StoredReceipt>(receiptCollection);
  sequences = await store.collection<SequenceDocument>(sequenceCollection);
}, 60_000);

afterAll(async () => {
  await store.close();
  await mongo.stop();
});

const patience = () => ({ deadline: Date.now() + 5_000 });

/** One process's view of the order. `now` is its clock, for blocks that nobody closes. */
function process(now: () => number = () => performance.now()) {
  const abandoned = new AbandonedBlocks(collection, sequences, silent, now);
  const observe = (sequence: SequenceDocument) => abandoned.observe(sequence);
  const sequencer = new Sequencer(sequences, observe, silent);
  const watermarks = new Watermarks(sequences, observe);
  return { sequencer, watermarks, abandoned, receipts: new Receipts(collection, sequencer, watermarks) };
}

function receiptOf(retailer: string, change: Partial<NewReceipt> = {}): NewReceipt {
  const id = newId();
  return {
    _id: id,
    retailer,
    version: 1,
    transaction_id: id,
    store_key: 'id:1',
    origin: `call:${id}`,
    text: `{"id":"${id}"}`,
    search: { t: [], n: [], s: {}, u: [], m: [] },
    outbox: [],
    ...change,
  };
}

const idsOf = (found: readonly { readonly text: string }[]) =>
  found.map(({ text }) => (JSON.parse(text) as { id: string }).id);

test('numbers are given once, from 1, to however many writers ask at once', async () => {
  const retailer = newId();
  const writers = Array.from({ length: 4 }, () => process());
  const blocks = await Promise.all(
    writers.flatMap(({ sequencer }) =>
      Array.from({ length: 10 }, () => sequencer.allot(retailer, 3, patience().deadline)),
    ),
  );
  const numbers = blocks.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, i) => from + i));
  expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 120 }, (_, i) => i + 1));
});

test('nobody sees past a block that is open, and a reader waits for its writer', async () => {
  const retailer = newId();
  const { sequencer, watermarks, receipts } = process();
  const other = process();
  await receipts.add([receiptOf(retailer)], patience());
  const block = await sequencer.allot(retailer, 2, patience().deadline);
  await other.receipts.add([receiptOf(retailer)], patience());
  const asked = watermarks.of(retailer);
  sequencer.close(retailer, block.token);
  expect(await asked).toBe(4);
});

test('a writer that is stuck holds readers up for a moment only, and is not seen past', async () => {
  const retailer = newId();
  const { sequencer, watermarks, receipts } = process();
  await receipts.add([receiptOf(retailer)], patience());
  await sequencer.drain();
  const block = await sequencer.allot(retailer, 1, patience().deadline);
  await process().receipts.add([receiptOf(retailer)], patience());
  expect(await watermarks.of(retailer)).toBe(1);
  sequencer.close(retailer, block.token);
  await sequencer.drain();
  expect(await watermarks.of(retailer)).toBe(3);
});

test('the block of a dead writer is settled, what it wrote stays, and its late write gets a new place', async () => {
  const retailer = newId();
  let clock = 0;
  const reader = process(() => clock);
  const dead = process();
  const block = await dead.sequencer.allot(retailer, 3, patience().deadline);
  const written = receiptOf(retailer);
  await collection.insertOne({ ...written, seq: block.from + 1 });
  const after = receiptOf(retailer);
  await process().receipts.add([after], patience());

  expect(await reader.watermarks.of(retailer)).toBe(0);
  clock += 3_001;
  await reader.watermarks.of(retailer);
  await reader.abandoned.drain();
  const mark = await reader.watermarks.of(retailer);
  expect(mark).toBe(4);
  const all = () =>
    reader.receipts.list(retailer, {}, { above: 0, upTo: 1e9, from: 'newest', count: 10 }, patience());
  expect(idsOf(await all())).toEqual([after._id, written._id]);

  // The dead writer wakes up with the numbers that it was given.
  const late = receiptOf(retailer);
  const insert = collection.insertOne({ ...late, seq: block.from });
  await expect(insert).rejects.toMatchObject({ code: 11_000 });
  const wakingUp = Object.assign(Object.create(dead.sequencer) as Sequencer, {
    allot: jest
      .fn()
      .mockResolvedValueOnce(block)
      .mockImplementation((...args: Parameters<Sequencer['allot']>) => dead.sequencer.allot(...args)),
  });
  const waker = new Receipts(collection, wakingUp, dead.watermarks);
  expect(await waker.add([late, receiptOf(retailer)], patience())).toEqual(['added', 'added']);
  await dead.sequencer.drain();
  expect(idsOf(await all())).toHaveLength(4);
  expect(idsOf(await all())).toContain(late._id);
  const { next, open } = (await sequences.findOne({ _id: retailer })) as SequenceDocument;
  expect([next, open]).toEqual([7, []]);
});

test('a block that was opened by an update of which the answer was lost is settled as well', async () => {
  const retailer = newId();
  await sequences.updateOne({ _id: retailer }, sequenceUpdate([{ token: 'lost', count: 2 }], []), {
    upsert: true,
  });
  let clock = 0;
  const writer = process(() => clock);
  await writer.receipts.add([receiptOf(retailer)], patience());
  clock += 3_001;
  await writer.receipts.add([receiptOf(retailer)], patience());
  await writer.abandoned.drain();
  await writer.sequencer.drain();
  expect(await process().watermarks.of(retailer)).toBe(4);
});

test('tombstones are in no list, whatever the filter', async () => {
  const retailer = newId();
  await collection.insertOne({ _id: newId(), retailer, seq: 1, version: 0 });
  const { receipts } = process();
  const stretch = { above: 0, upTo: 10, from: 'newest' as const, count: 10 };
  expect(await receipts.list(retailer, {}, stretch, patience())).toEqual([]);
  expect(await receipts.find(retailer, newId(), patience())).toBeUndefined();
});

test('of writers and readers at once, every reader that follows sees every receipt exactly once and in order', async () => {
  const retailer = newId();
  const total = 4 * 30;
  const writers = Array.from({ length: 4 }, () => process());
  const posted: string[] = [];
  const writing = Promise.all(
    writers.map(async ({ receipts }, w) => {
      for (let n = 0; n < 30; n++) {
        const receipt = receiptOf(retailer);
        // Every seventh clashes with the one before, so that there are gaps which are never filled.
        const clash =
          n % 7 === 6 ? { ...receiptOf(retailer), transaction_id: receipt.transaction_id } : undefined;
        const batch = w % 2 === 0 && clash ? [receipt, clash] : [receipt];
        await receipts.add(batch, patience());
        posted.push(receipt._id);
      }
    }),
  );
  const follow = async () => {
    const { receipts } = process();
    const seen: string[] = [];
    let at = 0;
    const giveUpAt = Date.now() + 20_000;
    while (seen.length < total && Date.now() < giveUpAt) {
      const end = await receipts.watermark(retailer);
      const stretch = { above: at, upTo: end, from: 'oldest' as const, count: 7 };
      const page = await receipts.list(retailer, {}, stretch, patience());
      seen.push(...idsOf(page).reverse());
      at = page[0]?.seq ?? Math.max(at, end);
    }
    return seen;
  };
  const [first, second] = await Promise.all([follow(), follow(), writing]);
  expect(first).toHaveLength(total);
  expect(new Set(first)).toEqual(new Set(posted));
  expect(second).toEqual(first);
});

test('a write of which nobody knows the outcome is refused as unavailable, and appears before the mark passes it or never', async () => {
  if (!mongo.isPrivate) return;
  const retailer = newId();
  let clock = 0;
  const writer = process(() => clock);
  await writer.receipts.add([receiptOf(retailer)], patience());
  const block = await writer.sequencer.allot(retailer, 1, patience().deadline);
  const stuck = Object.assign(Object.create(writer.sequencer) as Sequencer, {
    allot: () => Promise.resolve(block),
  });
  const unsure = receiptOf(retailer);
  const startedAt = Date.now();
  mongo.freeze(true);
  const writing = new Receipts(collection, stuck, writer.watermarks).add([unsure], patience());
  await expect(writing).rejects.toMatchObject({ status: 503, code: 'unavailable' });
  mongo.freeze(false);
  expect(Date.now() - startedAt).toBeLessThan(4_000);

  const reader = process(() => clock);
  await reader.watermarks.of(retailer);
  clock += 3_001;
  await reader.watermarks.of(retailer);
  await reader.abandoned.drain();
  const mark = await reader.watermarks.of(retailer);
  expect(mark).toBeGreaterThanOrEqual(block.to);
  const upToMark = { above: 0, upTo: mark, from: 'oldest' as const, count: 10 };
  const seen = idsOf(await reader.receipts.list(retailer, {}, upToMark, patience()));
  await process().receipts.add([receiptOf(retailer)], patience());
  expect(idsOf(await reader.receipts.list(retailer, {}, upToMark, patience()))).toEqual(seen);
  const isThere = (await reader.receipts.find(retailer, unsure._id, patience())) !== undefined;
  expect(seen.includes(unsure._id)).toBe(isThere);
});

describe('what a page costs', () => {
  const retailer = newId();
  const everySeventh = 7;
  beforeAll(async () => {
    const { receipts, sequencer } = process();
    const many = Array.from({ length: 3_000 }, (_, n) =>
      receiptOf(retailer, {
        identifier: `c${n % everySeventh}`,
        store_key: `id:${n % 5}`,
        transaction_id: `t${n}`,
        ...(n % 3 === 0 && { external_id: newId() }),
      }),
    );
    for (let at = 0; at < many.length; at += 250) await receipts.add(many.slice(at, at + 250), patience());
    await sequencer.drain();
  }, 60_000);

  test.each([
    ['no filter', {}, 21],
    ['a consumer', { consumers: ['c1'] }, 21],
    ['five consumers', { consumers: ['c1', 'c2', 'c3', 'c4', 'c5'] }, 26],
    ['a store', { storeKeys: ['id:1'] }, 21],
    ['five stores', { storeKeys: ['id:0', 'id:1', 'id:2', 'ref:1', 'ref:x'] }, 26],
    ['a consumer and a store', { consumers: ['c1'], storeKeys: ['id:1'] }, 21],
    ['consumers and stores', { consumers: ['c1', 'c2'], storeKeys: ['id:1', 'id:2'] }, 25],
    ['transaction ids', { transactionIds: ['t1', 't2', 't3'] }, 6],
    ['ids', { ids: ['a', 'b', 'c'] }, 6],
    ['ids and a consumer', { ids: ['a', 'b'], consumers: ['c1'] }, 6],
  ])('%s', async (_name, filter, keysMax) => {
    const { receipts } = process();
    for (const from of ['newest', 'oldest'] as const) {
      const stretch = { above: 500, upTo: 2_500, from, count: 21 };
      const { executionStats } = await receipts.explain(retailer, filter, stretch);
      expect(executionStats.totalKeysExamined).toBeLessThanOrEqual(keysMax + 1);
      expect(executionStats.totalDocsExamined).toBeLessThanOrEqual(keysMax + 1);
    }
  });
});
