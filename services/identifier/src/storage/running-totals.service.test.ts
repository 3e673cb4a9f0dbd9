import fc from 'fast-check';
import { newId } from '@receipts/kernel';
import type { Database } from '@receipts/storage';
import { startDatabase } from '@receipts/testing';
import type { Totals } from '../domain/identifier';
import type { ReceiptContribution } from '../domain/receipt-contribution';
import { runningTotalsDeclaration, storedFromReceipts, type RunningTotalsDocument } from './running-totals';
import {
  ReceiptContributions,
  contributionsDeclaration,
  type ContributionDocument,
} from './receipt-contributions';

const retailer = 'r';
const signal = () => AbortSignal.timeout(60_000);

let database: Database;
/** Two processes of the service. */
let copies: readonly [ReceiptContributions, ReceiptContributions];
let joe: string;

beforeAll(async () => {
  database = await startDatabase('identifier');
  const collection = await database.collection<ContributionDocument>(contributionsDeclaration);
  const totals = await database.collection<RunningTotalsDocument>(runningTotalsDeclaration);
  copies = [new ReceiptContributions(collection, totals), new ReceiptContributions(collection, totals)];
});
afterAll(() => database?.close());
beforeEach(() => (joe = `joe-${newId()}`));

const contributionOf = (
  identifier: string | null,
  total: number,
  change: Partial<ReceiptContribution> = {},
): ReceiptContribution => ({
  receiptId: newId(),
  retailer,
  version: 1,
  identifier,
  total,
  currency: 'EUR',
  timestamp: '2026-01-01T10:00:00+00:00',
  counted: true,
  ...change,
});
const many = (identifier: string, count = storedFromReceipts) =>
  Array.from({ length: count }, () => contributionOf(identifier, 1));
const totalsOf = async (identifier: string, contributions = copies[0]) =>
  (await contributions.totals(retailer, [identifier], signal())).get(identifier) ?? [];
const document = (identifier: string) =>
  database.db
    .collection<{ _id: string; totals: Totals[] | null }>('running_totals')
    .findOne({ _id: `${retailer} ${identifier}` });
const keep = (...contributions: ReceiptContribution[]) => copies[0].keep(contributions, signal());

it('exist only for consumers with a large number of receipts', async () => {
  await keep(...many(joe, storedFromReceipts - 1));
  expect(await totalsOf(joe)).toMatchObject([{ receipts: storedFromReceipts - 1 }]);
  expect(await document(joe)).toBeNull();
  await keep(contributionOf(joe, 10));
  expect(await totalsOf(joe)).toMatchObject([
    { receipts: storedFromReceipts, total: String(storedFromReceipts + 9) },
  ]);
  expect((await document(joe))?.totals).toEqual(await totalsOf(joe));
});

it('grow with each receipt, without adding up all receipts again', async () => {
  await keep(...many(joe));
  await totalsOf(joe);
  await keep(contributionOf(joe, 1));
  // A deliberately wrong sum, which remains until the totals are recomputed.
  const [stored] = (await document(joe))?.totals ?? [];
  const doctored = { $set: { totals: [{ ...stored, total: '5000' }] } };
  await database.db
    .collection<{ _id: string }>('running_totals')
    .updateOne({ _id: `${retailer} ${joe}` }, doctored);
  const other = { currency: 'USD', timestamp: '2026-02-01T10:00:00+00:00' };
  await keep(
    contributionOf(joe, 7),
    contributionOf(joe, 3, other),
    contributionOf(joe, 9, { counted: false }),
  );
  expect(await totalsOf(joe)).toEqual([
    expect.objectContaining({ receipts: storedFromReceipts + 2, total: '5007', currency: 'EUR' }),
    { receipts: 1, total: '3', currency: 'USD', first: other.timestamp, last: other.timestamp },
  ]);
});

it('do not count a receipt twice when its lost contribution returns', async () => {
  const all = many(joe);
  await keep(...all);
  await totalsOf(joe);
  // Now the process knows that the totals are stored, and would add to them.
  await totalsOf(joe);
  await database.db.collection('receipt_contributions').deleteMany({ identifier: joe });
  await copies[0].rebuildMarker.put(retailer);
  await keep(...all);
  expect(await totalsOf(joe)).toMatchObject([{ receipts: storedFromReceipts }]);
});

it('are exact to the last digit, however the receipts were added up', async () => {
  const posted = [0.1, 0.2, 0.1, -0.00001, 1_000_000.123456];
  await keep(...posted.map((total) => contributionOf(joe, total)));
  expect(await totalsOf(joe)).toMatchObject([{ receipts: 5, total: '1000000.523446' }]);
  await keep(...Array.from({ length: storedFromReceipts }, () => contributionOf(joe, 0.1)));
  expect(await totalsOf(joe)).toMatchObject([{ total: '1000026.123446' }]);
  await keep(contributionOf(joe, 0.2), contributionOf(joe, 0.0000003));
  expect(await totalsOf(joe)).toMatchObject([{ total: '1000026.3234463' }]);
});

it('are recomputed after a redelivery, a change, a change of consumer and a deletion', async () => {
  const contributions = many(joe, storedFromReceipts + 3);
  const [first, second, third] = contributions as [
    ReceiptContribution,
    ReceiptContribution,
    ReceiptContribution,
  ];
  await keep(...contributions);
  await totalsOf(joe);
  await keep(first);
  expect((await document(joe))?.totals).toMatchObject([{ receipts: storedFromReceipts + 3 }]);
  await keep({ ...first, version: 2, total: 100 });
  expect(await totalsOf(joe)).toMatchObject([{ total: String(storedFromReceipts + 102) }]);
  await keep({ ...second, version: 2, identifier: 'ann' });
  expect(await totalsOf(joe)).toMatchObject([{ receipts: storedFromReceipts + 2 }]);
  await keep({ ...third, version: 2, identifier: null, counted: false });
  expect(await totalsOf(joe)).toMatchObject([
    { receipts: storedFromReceipts + 1, total: String(storedFromReceipts + 100) },
  ]);
});

it('are deleted with the consumer', async () => {
  await keep(...many(joe));
  await totalsOf(joe);
  await copies[1].forget(retailer, joe, signal());
  expect(await document(joe)).toBeNull();
  expect(await totalsOf(joe)).toEqual([]);
});

it('remain correct when two processes of the service write concurrently', async () => {
  const change = fc.record({
    copy: fc.constantFrom(0, 1),
    receipt: fc.nat({ max: 400 }),
    version: fc.integer({ min: 1, max: 3 }),
    owner: fc.constantFrom('joe', 'joe', 'ann', null),
    total: fc.integer({ min: -50, max: 50 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 10, maxLength: 40 }), async (changes) => {
      const names = new Map([
        ['joe', `joe-${newId()}`],
        ['ann', `ann-${newId()}`],
      ]);
      const ids = Array.from({ length: 401 }, () => newId());
      const of = (owner: string | null) => (owner === null ? null : (names.get(owner) ?? null));
      await keep(...ids.slice(0, 300).map((receiptId) => contributionOf(of('joe'), 1, { receiptId })));
      await totalsOf(of('joe') as string);
      await Promise.all(
        changes.map(async ({ copy, receipt, version, owner, total }) => {
          const own = { receiptId: ids[receipt] as string, version };
          await copies[copy as 0 | 1].keep([contributionOf(of(owner), total, own)], signal());
          if (owner) await totalsOf(of(owner) as string, copies[copy as 0 | 1]);
        }),
      );
      for (const name of names.values()) {
        const counted = database.db
          .collection('receipt_contributions')
          .find({ retailer, identifier: name, counted: true });
        const all = (await counted.toArray()) as unknown as ContributionDocument[];
        const found = await totalsOf(name);
        expect(found.map(({ receipts, total }) => ({ receipts, total }))).toEqual(
          all.length === 0
            ? []
            : [{ receipts: all.length, total: String(all.reduce((sum, { total }) => sum + total, 0)) }],
        );
      }
    }),
    { numRuns: 15 },
  );
});
