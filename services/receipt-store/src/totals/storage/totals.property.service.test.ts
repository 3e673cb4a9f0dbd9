import fc from 'fast-check';
import {
  receiptStoreContracts as contracts,
  type PostedReceipt,
  type ReturnedReceipt,
} from '@receipts/contracts';
import { newId, ServiceError } from '@receipts/kernel';
import { until, silentLog } from '@receipts/testing';
import { Harness } from '../../testing/harness';
import { plainTotals } from '../../testing/plain-totals';
import { callOf, retailerOf } from '../../testing/samples';
import { Crash, unreliableProcess, type Random } from '../../testing/unreliable-process';
import { openTotals } from './open-totals';
import { receiptCollection, type StoredReceipt } from '../../storage/receipt-document';
import { Receipts } from '../../storage/receipts';

let harness: Harness;
beforeAll(async () => {
  harness = await Harness.start();
});
afterAll(() => harness.stop());

const timeLimit = () => ({ deadline: Date.now() + 30_000 });

const cents = fc.integer({ min: -50_000, max: 50_000 }).map((value) => value / 1_000);
const oneOf = <T>(...values: T[]) => fc.constantFrom(...values);
const discounts = fc.array(fc.record({ name: fc.constant('d'), amount: cents }), { maxLength: 2 });
const sale = fc.record({
  localtime: fc
    .tuple(
      oneOf('2024-05-16', '2024-05-17'),
      fc.integer({ min: 10, max: 19 }),
      fc.integer({ min: 10, max: 59 }),
    )
    .map(([day, hour, minute]) => `${day}T${hour}:${minute}:00`),
  store_reference: oneOf(1, 2),
  till_uuid: oneOf(null, 'a', 'b'),
  l10n: oneOf({ currency: 'EUR' }, { currency: 'CHF' }),
  total: cents,
  net: oneOf<number | null>(null, 0.125, 7),
  duplicate: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
  discounts,
  items: fc.array(
    fc.record({ name: fc.constant('i'), quantity: oneOf(1, 2, -1, 0.5), total: cents, discounts }),
    { minLength: 1, maxLength: 3 },
  ),
  charges: fc.array(fc.record({ name: fc.constant('c'), amount: cents }), { maxLength: 2 }),
  taxes: fc.array(
    fc.record({ name: oneOf('vat', 'eco'), rate: oneOf<number | null>(null, 5.5, 20), amount: cents }),
    {
      maxLength: 3,
    },
  ),
  payments: fc.array(
    fc.record({
      method: oneOf('cash', 'card'),
      currency: oneOf(null, 'USD', 'EUR'),
      amount: cents,
      change: oneOf<number | null>(null, 0.01),
      tip: oneOf<number | null>(null, 0.03),
    }),
    { maxLength: 2 },
  ),
});

/** A change to one of the receipts posted earlier. */
const change = fc.record({
  kind: oneOf('return', 'no return', 'delete', 'void', 'erase'),
  target: fc.nat(),
});
type Change = typeof change extends fc.Arbitrary<infer C> ? C : never;
const work = fc.record({ rebuild: fc.integer({ min: 0, max: 3 }).map((n) => n === 0), seed: fc.nat() });

const step = fc.oneof(
  { weight: 3, arbitrary: fc.array(sale, { minLength: 1, maxLength: 4 }).map((sales) => ({ sales })) },
  { weight: 3, arbitrary: change.map((changed) => ({ changed })) },
  { weight: 2, arbitrary: fc.array(work, { minLength: 1, maxLength: 3 }).map((works) => ({ works })) },
);

function randomOf(seed: number): Random {
  let state = (seed + 1) * 0x9e3779b1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function refusedAsGone(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof ServiceError) || error.status !== 410) throw error;
  });
}

async function apply(retailer: string, id: string, kind: Change['kind']): Promise<void> {
  const call = callOf(retailer);
  const params = { id };
  if (kind === 'delete') await harness.fake.call(contracts.deleteReceipt, { params }, call);
  else if (kind === 'void') {
    await refusedAsGone(harness.fake.call(contracts.voidReceipt, { params } as never, call));
  } else if (kind === 'erase') {
    await harness.fake.call(contracts.eraseConsumer, { body: { identifier: 'jane' } }, call);
  } else {
    const value = kind === 'return' ? { localtime: '2024-05-18T10:00:00' } : null;
    const body = [{ op: 'add', path: '/items/0/return', value }];
    const input = { params, headers: {}, body, contentType: 'application/json-patch+json' };
    await refusedAsGone(harness.fake.call(contracts.patchReceipt, input as never, call));
  }
}

/** Updates the totals as another process would, which may crash while doing so. */
async function anotherProcess(retailer: string, { seed, rebuild }: { seed: number; rebuild: boolean }) {
  const database = unreliableProcess(harness.database, randomOf(seed));
  const collection = await database.collection<StoredReceipt>(receiptCollection);
  const lease = { acquire: () => Promise.resolve(true), release: () => Promise.resolve() };
  const receipts = new Receipts(collection);
  const process = await openTotals({ database, collection, receipts, lease, log: silentLog });
  try {
    if (rebuild) {
      await process.rebuild.request(newId());
      await process.rebuild.task.run();
    } else await process.totals.catchUp(retailer, timeLimit());
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
  }
}

async function expectPlainSum(retailer: string): Promise<void> {
  const query = { from: '2024-05-01', to: '2024-05-31', group_by: ['day', 'store', 'till'] };
  const call = callOf(retailer);
  const answer = await harness.read<{ totals: unknown }>(contracts.getTotals, { query } as never, call);
  const stored = await harness.database.db
    .collection<StoredReceipt>('receipts')
    .find({ retailer, text: { $exists: true } })
    .toArray();
  const receipts = stored.map(
    (document) => JSON.parse((document as { text: string }).text) as ReturnedReceipt,
  );
  expect(answer.totals).toEqual(plainTotals(receipts));
}

type SentSale = typeof sale extends fc.Arbitrary<infer S> ? S : never;

/** Whatever became of the receipts, their tills have sent them; duplicates are no sales. */
async function expectTills(retailer: string, sent: readonly SentSale[]): Promise<void> {
  const latest = new Map<string, string | null>();
  for (const { store_reference: store, till_uuid: till, localtime, duplicate } of sent) {
    const key = JSON.stringify([String(store), till]);
    const known = latest.get(key) ?? null;
    latest.set(key, duplicate || (known !== null && known > localtime) ? known : localtime);
  }
  const { body } = await harness.fake.call(contracts.getTills, { query: {} } as never, callOf(retailer));
  const { tills } = body as {
    tills: { store_reference: string; till_uuid: string | null; last_localtime: string | null }[];
  };
  const found = tills.map((one) => [
    JSON.stringify([one.store_reference, one.till_uuid]),
    one.last_localtime?.slice(0, 'YYYY-MM-DDThh:mm:ss'.length) ?? null,
  ]);
  expect(found.sort()).toEqual([...latest].sort());
}

const posted = (sales: readonly object[]) =>
  sales.map((one) => ({ ...one, identifier: 'jane' })) as Partial<PostedReceipt>[];

test('returns totals equal to the sum over the receipts after any history, with crashes and late writes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const retailer = harness.retailer((id) => retailerOf(id));
      const ids: string[] = [];
      const sent: SentSale[] = [];
      const running: Promise<unknown>[] = [];
      for (const one of steps) {
        if ('sales' in one) {
          sent.push(...one.sales);
          ids.push(...(await harness.post(retailer, posted(one.sales))));
        } else if ('works' in one) running.push(...one.works.map((each) => anotherProcess(retailer, each)));
        else if (ids.length > 0) {
          const id = ids[one.changed.target % ids.length] as string;
          running.push(apply(retailer, id, one.changed.kind));
        }
        if (running.length > 3) await running.shift();
      }
      await Promise.all(running);
      await expectPlainSum(retailer);
      await expectTills(retailer, sent);
      // The totals are equal even if the current totals have been replaced by those of the last rebuild.
      await until('all rebuilds have ended', async () => {
        const progress = await harness.database.db
          .collection('receipt_totals')
          .findOne({ _id: retailer as never });
        return progress?.['unfinished'] === undefined;
      });
      await expectPlainSum(retailer);
      await expectTills(retailer, sent);
    }),
    { numRuns: 20, endOnFailure: true },
  );
});
