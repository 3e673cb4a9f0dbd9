import { startDatabase } from '@receipts/testing';
import type { Collection, Filter } from 'mongodb';
import { claimRoundRobin, dueRoundRobinIndex, type Due, type ClaimOrder } from './claim-round-robin';
import type { Database } from './connect-database';

interface Piece extends Due {
  readonly _id: string;
}

const now = new Date('2026-05-01T12:00:00Z');
const inMs = (ms: number) => new Date(now.getTime() + ms);

let database: Database;
let collection: Collection<Piece>;

beforeAll(async () => {
  database = await startDatabase();
  collection = await database.collection<Piece>({ name: 'pieces', indexes: [dueRoundRobinIndex] });
});
beforeEach(() => collection.deleteMany({}));
afterAll(() => database.close());

const claim = async (turn: Partial<ClaimOrder>) => {
  const update = { $set: { dueAt: inMs(60_000) } };
  const signal = AbortSignal.timeout(5_000);
  const claimed = await claimRoundRobin(
    collection,
    { after: '', except: [], ...turn },
    { now, update, signal },
  );
  return claimed?._id;
};

/** The filters of the searches during a run. */
async function sent(action: () => Promise<unknown>): Promise<Filter<Piece>[]> {
  const search = jest.spyOn(collection, 'findOneAndUpdate');
  await action();
  const filters = search.mock.calls.map(([filter]) => filter);
  search.mockRestore();
  return filters;
}

test('takes turns between retailers, each with its oldest piece of work', async () => {
  await collection.insertMany([
    ...Array.from({ length: 50 }, (_, n) => ({ _id: `a${n}`, retailer: 'a', dueAt: inMs(-1_000 - n) })),
    { _id: 'b0', retailer: 'b', dueAt: inMs(-1) },
    { _id: 'c0', retailer: 'c', dueAt: inMs(1) },
    { _id: 'd0', retailer: 'd', dueAt: now },
    { _id: 'e0', retailer: 'e' },
  ]);
  const claimed: (string | undefined)[] = [];
  for (const after of ['', 'a', 'b', 'd', 'a']) claimed.push(await claim({ after }));
  expect(claimed).toEqual(['a49', 'b0', 'd0', 'a48', 'a47']);
});

test('skips only retailers at their limit', async () => {
  const ids = ['a', 'b', 'c', 'd'];
  const orders = ids.map((_, n) => [...ids.slice(n + 1), ...ids.slice(0, n + 1)]);
  for (const order of [ids, ...orders]) {
    const after = order === ids ? '' : order.at(-1)!;
    for (const except of [[], ['a'], ['d'], ['c', 'b'], ['d', 'a'], ['d', 'b', 'a'], ids]) {
      await collection.deleteMany({});
      await collection.insertMany(ids.map((id) => ({ _id: id, retailer: id, dueAt: inMs(-1) })));
      const claimed: (string | undefined)[] = [];
      for (const _ of ids) claimed.push(await claim({ after, except }));
      const expected = order.filter((id) => !except.includes(id));
      expect([after, except, claimed.slice(0, expected.length)]).toEqual([after, except, expected]);
      expect(claimed.slice(expected.length).every((id) => id === undefined)).toBe(true);
    }
  }
});

test('does not read the work of a retailer at its limit', async () => {
  const many = Array.from({ length: 2_000 }, (_, n) => ({ _id: `b${n}`, retailer: 'b', dueAt: inMs(-n) }));
  await collection.insertMany([...many, { _id: 'c0', retailer: 'c', dueAt: inMs(-1) }]);
  const filters = await sent(() => claim({ after: 'a', except: ['b'] }));
  expect(filters.map(({ retailer }) => retailer)).toEqual([{ $gt: 'a', $lt: 'b' }, { $gt: 'b' }]);
  for (const filter of filters) {
    const found = collection
      .find(filter)
      .sort({ retailer: 1, dueAt: 1 })
      .hint(dueRoundRobinIndex.key)
      .limit(1);
    const { executionStats } = await found.explain('executionStats');
    expect(executionStats.totalKeysExamined).toBeLessThan(10);
  }
});
