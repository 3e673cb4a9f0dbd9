import { MongoNetworkError } from 'mongodb';
import { countTurns, until } from '@receipts/testing';
import type { WriteOutcome } from '../storage/receipt-writer';
import { callOf, postedReceipt, retailerOf, storeOf } from '../testing/samples';
import { StoreReceipts, type StoreReceiptsDependencies } from './store-receipts';
import type { Submission } from './submission';

const retailer = retailerOf('demo');

/** All dependencies reply immediately, so that only the work itself yields. */
const deps = {
  receipts: { findTaken: () => Promise.resolve([]), releaseKey: () => Promise.resolve() },
  writer: {
    add: (receipts: readonly unknown[]) =>
      Promise.resolve(receipts.map((): WriteOutcome => ({ arrival: 1 }))),
  },
  stores: { find: () => storeOf('demo'), getBy: () => storeOf('demo'), apply: () => Promise.resolve() },
  findRetailer: () => Promise.resolve(retailer),
  arrivals: { add: () => Promise.resolve() },
  totals: { noteArrival: () => undefined },
  ask: () => Promise.reject(new Error('no service may be called')),
  now: () => new Date(),
} as unknown as StoreReceiptsDependencies;
const storing = new StoreReceipts(deps);

function submissionOf(change: Parameters<typeof postedReceipt>[0]): Submission {
  const call = callOf('demo');
  return { id: call.id, posted: postedReceipt(change), posDataIds: [], origin: `call:${call.id}`, call };
}

/** The number of turns left to other work while receipts with this many items each are prepared. */
async function turnsFor(receipts: number, items: number): Promise<number> {
  const submissions = Array.from({ length: receipts }, (_, n) => {
    const lines = Array.from({ length: items }, (_line, at) => ({
      name: `Item ${at}`,
      quantity: 1,
      total: 1,
    }));
    return submissionOf({ items: lines, transaction_id: `T${n}` });
  });
  const turns = countTurns();
  expect(await storing.store(submissions)).toEqual(submissions.map(({ id }) => ({ id })));
  return turns();
}

test('prepares ordinary concurrent receipts together', async () => {
  expect(await turnsFor(64, 3)).toBeLessThanOrEqual(1);
});

test.each([
  ['one receipt with a large number of items', 1, 5_000, 5],
  ['several receipts with a large number of items', 3, 5_000, 15],
  ['a large number of receipts with some items', 256, 30, 8],
])('yields to other work during %s', async (_, receipts, items, turnsMin) => {
  expect(await turnsFor(receipts, items)).toBeGreaterThanOrEqual(turnsMin);
});

test('an unexpected failure while receipts are being linked is reported to the caller', async () => {
  const unhandled = jest.fn();
  process.on('unhandledRejection', unhandled);
  let endLinking: (() => void) | undefined;
  const taken = {
    get origin(): never {
      throw new TypeError('a bug');
    },
  };
  const stored = new StoreReceipts({
    ...deps,
    writer: { add: () => Promise.resolve([taken] as never) },
    arrivals: { add: () => new Promise<void>((resolve) => (endLinking = resolve)) },
  }).store([submissionOf({ transaction_id: 'T1' })]);
  const outcome = expect(stored).rejects.toThrow('a bug');
  await until('linking', () => endLinking !== undefined);
  await new Promise((resolve) => setImmediate(resolve));
  endLinking?.();
  await outcome;
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

test('a temporary failure of the database is the outcome of the affected receipts only', async () => {
  const related = { idsOf: () => Promise.reject(new MongoNetworkError('connection closed')) };
  const submissions = [
    submissionOf({ transaction_id: 'T1', related: [{ type: 'return', transaction_id: 'T0' }] }),
    submissionOf({ transaction_id: 'T2' }),
  ];
  const outcomes = await new StoreReceipts({ ...deps, related }).store(submissions);
  expect(outcomes).toEqual([expect.objectContaining({ status: 503 }), { id: submissions[1]?.id }]);
});
