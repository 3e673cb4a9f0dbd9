import { receiptStoreContracts as contracts, type ChangedReceipt } from '@receipts/contracts';
import { Harness, refusal } from '../testing/harness';
import { callOf, retailerOf } from '../testing/samples';

const { assignReceipt, deleteReceipt, listChanges } = contracts;

let harness: Harness;
beforeAll(async () => {
  harness = await Harness.start();
});
afterAll(() => harness.stop());

interface Changes {
  readonly changes: readonly ChangedReceipt[];
  readonly arrived: number;
  readonly next: string;
  readonly more: boolean;
}

const ask = async (retailer: string, after: string | null, count: number, arrived?: number) => {
  const body = { after, count, ...(arrived !== undefined && { arrived }) };
  return (await harness.fake.call(listChanges, { body }, callOf(retailer))).body as Changes;
};

/** All changes after a position, and the position to continue from. */
async function since(retailer: string, after: string | null, count = 4) {
  const changes: Changes['changes'][number][] = [];
  let next = after;
  for (;;) {
    const page = await ask(retailer, next, count);
    expect(page.changes.length).toBeLessThanOrEqual(count);
    changes.push(...page.changes);
    next = page.next;
    if (!page.more) return { changes, next };
  }
}

test('returns all receipts in order at first, and later only new or changed receipts', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const ids = await harness.post(
    retailer,
    Array.from({ length: 10 }, () => ({})),
  );
  const all = await since(retailer, null);
  expect(all.changes.map(({ id, version }) => [id, version])).toEqual(ids.map((id) => [id, 1]));
  const { id, identifier, timestamp, total } = await harness.get(retailer, ids[3] as string);
  expect(all.changes[3]).toMatchObject({ arrival: 4, figures: { id, identifier, timestamp, total } });
  expect(Date.parse(all.changes[3]?.arrived_timestamp ?? '')).not.toBeNaN();
  // A caller that has the first eight receipts gets the others.
  const rest = await ask(retailer, null, 4, 8);
  expect([rest.changes.map(({ arrival }) => arrival), rest.arrived, rest.more]).toEqual([[9, 10], 10, false]);

  expect((await since(retailer, all.next)).changes).toEqual([]);
  const [fresh] = await harness.post(retailer, [{}]);
  const assign = { query: {}, body: { id: ids[2] as string, identifier: 'jane' } };
  await harness.fake.call(assignReceipt, assign as never, callOf(retailer));
  await harness.fake.call(deleteReceipt, { params: { id: ids[5] as string } }, callOf(retailer));
  const later = await since(retailer, all.next, 2);
  expect(later.changes.map(({ id, version, figures }) => [id, version, figures?.identifier])).toEqual([
    [fresh, 1, null],
    [ids[2], 2, 'jane'],
    [ids[5], 2, undefined],
  ]);
  expect(later.changes[2]?.figures).toBeNull();
});

test('returns many concurrent changes completely, regardless of the page size', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const ids = await harness.post(
    retailer,
    Array.from({ length: 12 }, () => ({})),
  );
  const { next } = await since(retailer, null, 200);
  await Promise.all(
    ids.map((id) =>
      harness.fake.call(
        assignReceipt,
        { query: {}, body: { id, identifier: 'joe' } } as never,
        callOf(retailer),
      ),
    ),
  );
  for (const count of [1, 3, 200]) {
    const { changes } = await since(retailer, next, count);
    expect(new Set(changes.map(({ id }) => id))).toEqual(new Set(ids));
    expect(changes).toHaveLength(ids.length);
  }
});

test('rejects an unknown cursor, and hides other retailers’ changes', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const other = harness.retailer((id) => retailerOf(id));
  await harness.post(other, [{}]);
  expect((await since(retailer, null)).changes).toEqual([]);
  for (const after of ['', 'x', Buffer.from('{"arrival":1}').toString('base64url')]) {
    expect(await refusal(ask(retailer, after, 5))).toMatchObject({ status: 400, code: 'unknown_cursor' });
  }
});

test('rejects a position beyond the newest receipt, because the receipts up to it were lost', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  await harness.post(retailer, [{}, {}, {}]);
  const { next } = await since(retailer, null);
  expect((await since(retailer, next)).changes).toEqual([]);
  await harness.database.db.collection('receipts').deleteMany({ retailer, arrival: { $gt: 1 } });
  expect(await refusal(ask(retailer, next, 5))).toMatchObject({ status: 400, code: 'unknown_cursor' });
});
