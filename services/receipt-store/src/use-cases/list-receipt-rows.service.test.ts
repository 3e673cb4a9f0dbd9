import {
  receiptStoreContracts as contracts,
  tooManySearches,
  type PostedReceipt,
  type ReceiptRow,
} from '@receipts/contracts';
import { SearchLimiter } from '@receipts/search';
import { MongoServerError } from 'mongodb';
import { Harness, refusal } from '../testing/harness';
import { callOf, retailerOf } from '../testing/samples';
import { listReceiptRows } from './list-receipt-rows';
import type { Dependencies } from './dependencies';

let harness: Harness;
beforeAll(async () => {
  harness = await Harness.start();
});
afterAll(() => harness.stop());

interface RowsReply {
  readonly rows: readonly ReceiptRow[];
  readonly has_more: boolean;
  readonly is_complete: boolean;
  readonly hits?: number;
  readonly clauses: readonly (readonly { occur: string; text: string }[])[];
}

const defaults = { queries: [], sort: 'arrived', direction: 'older', count: 50 } as const;

async function list(retailer: string, body: object = {}, consumers?: readonly string[]): Promise<RowsReply> {
  const input = { body: { ...defaults, ...body } } as never;
  const call = callOf(retailer, { ...(consumers && { consumers }) });
  return (await harness.fake.call(contracts.listReceiptRows, input, call)).body as RowsReply;
}

const idsOf = ({ rows }: RowsReply) => rows.map(({ id }) => id);

const refusalCode = ({ code }: { readonly code?: string }) => code;

const shop = () => harness.retailer((id) => retailerOf(id));
const failing = (change: Partial<PostedReceipt> = {}): Partial<PostedReceipt> => ({
  items: [{ name: 'Tea', quantity: 1, total: 10 }],
  total: 11,
  payments: [],
  ...change,
});

test('lists what a table shows of each receipt', async () => {
  const retailer = shop();
  const related = [{ type: 'return' as const, transaction_id: 'the-sale' }];
  const [plain, wrong, returned] = await harness.post(retailer, [
    { payments: [{ method: 'card', amount: 10 }] },
    failing({ till_uuid: 'till-1', store_reference: 'corner' }),
    failing({ items: [{ name: 'Tea', quantity: -1, total: -4 }], total: -4, related, incomplete: true }),
  ]);
  const answer = await list(retailer);
  expect(idsOf(answer)).toEqual([returned, wrong, plain]);
  expect(answer).toMatchObject({ has_more: false, is_complete: true, clauses: [] });
  expect(answer.hits).toBeUndefined();
  expect(answer.rows[0]).toMatchObject({
    marks: ['return', 'incomplete'],
    relations: ['return'],
    checks: [],
  });
  expect(answer.rows[1]).toMatchObject({
    store_reference: 'corner',
    store_name: null,
    till_uuid: 'till-1',
    total: 11,
    marks: [],
    items: 1,
    first_item: 'Tea',
    payment_methods: [],
    checks: [{ code: 'items_total', path: '/total', expected: 10, actual: 11 }],
  });
  expect(answer.rows[2]?.payment_methods).toEqual(['card']);
});

test('lists receipts that match every query, and says what it understood', async () => {
  const retailer = shop();
  const [unpaid, other] = await harness.post(retailer, [
    failing({ total: 10, payments: [{ method: 'cash', amount: 9 }] }),
    failing({ identifier: 'jane' }),
  ]);
  const ids = async (queries: string[], consumers?: string[]) =>
    idsOf(await list(retailer, { queries }, consumers));
  expect(await ids(['+checks:payments_total'])).toEqual([unpaid]);
  expect(await ids(['+checks:net_total'])).toEqual([]);
  expect(await ids(['items.name:te* OR transaction_id:te*', 'identifier:jane'])).toEqual([other]);
  expect(await ids(['items.name:te* OR identifier:jane', 'total:10'])).toEqual([unpaid]);
  expect(await ids([], ['jane'])).toEqual([other]);
  const { hits, clauses } = await list(retailer, { queries: ['+items.name:tea -voided:*'] });
  expect([hits, clauses]).toEqual([
    2,
    [
      [
        { occur: 'must', text: '+items.name:tea' },
        { occur: 'must_not', text: '-voided:*' },
      ],
    ],
  ]);
  expect(await refusal(list(retailer, { queries: ['nonsense:1'] }))).toMatchObject({ code: 'invalid_query' });
});

test('pages by the time of sale and by arrival, in both directions, without a gap', async () => {
  const retailer = shop();
  // The clocks of tills differ, and several receipts have the same time.
  const hours = [9, 12, 9, 10, 12, 9, 11];
  const ids = await harness.post(
    retailer,
    hours.map((hour) => ({ localtime: `2026-03-14T${String(hour).padStart(2, '0')}:00:00+00:00` })),
  );
  for (const sort of ['sold', 'arrived'] as const) {
    const all = await list(retailer, { sort });
    const times = all.rows.map(({ localtime }) => localtime);
    if (sort === 'sold') expect(times).toEqual([...times].sort().reverse());
    else expect(idsOf(all)).toEqual([...ids].reverse());
    expect([...idsOf(all)].sort()).toEqual([...ids].sort());
    const first = await list(retailer, { sort, count: 3 });
    const second = await list(retailer, { sort, count: 3, beyond: first.rows[2]?.position });
    const third = await list(retailer, { sort, count: 3, beyond: second.rows[2]?.position });
    expect([first, second, third].flatMap(idsOf)).toEqual(idsOf(all));
    expect([first.has_more, second.has_more, third.has_more]).toEqual([true, true, false]);
    const back = await list(retailer, {
      sort,
      count: 3,
      direction: 'newer',
      beyond: third.rows[0]?.position,
    });
    expect([idsOf(back), back.has_more]).toEqual([idsOf(second), true]);
  }
  expect(await refusal(list(retailer, { beyond: 'x' }))).toMatchObject({ code: 'unknown_cursor' });
});

test('counts as a search, of which a retailer may make only some at once', async () => {
  const retailer = shop();
  await harness.post(retailer, [failing()]);
  const outcomes = await Promise.all(
    Array.from({ length: 60 }, () => list(retailer).then(({ rows }) => rows.length, refusalCode)),
  );
  expect(outcomes.filter((outcome) => outcome === 1)).toHaveLength(36);
  expect(outcomes.filter((outcome) => outcome === 'rate_limited')).toHaveLength(24);
});

describe('when the database is slow', () => {
  const timeout = () => new DOMException('aborted', 'TimeoutError');
  const maxTimeExpired = () => new MongoServerError({ message: 'operation exceeded time limit', code: 50 });
  let text: string;
  beforeAll(async () => {
    const retailer = shop();
    const [id = ''] = await harness.post(retailer, [failing()]);
    const input = { params: { id }, query: { consumer: undefined } };
    text = String((await harness.fake.call(contracts.getReceipt, input, callOf(retailer))).body);
  });

  /** The answer if the database sends this many receipts before a read fails. */
  async function answerAfter(count: number, error: Error): Promise<RowsReply> {
    async function* inOrder() {
      for (let sent = 0; sent < count; sent++) yield { text, arrival: sent, search: {} };
      throw error;
    }
    const findRetailer = async () => retailerOf('shop');
    const deps = { search: { inOrder }, findRetailer } as unknown as Dependencies;
    const handler = listReceiptRows(deps, new SearchLimiter(tooManySearches));
    const input = { body: defaults } as never;
    return (await handler(input, callOf('shop'))).body as RowsReply;
  }

  test('lists the receipts that were found in time', async () => {
    for (const error of [timeout(), maxTimeExpired()]) {
      const { rows, is_complete, has_more } = await answerAfter(3, error);
      expect([rows.length, is_complete, has_more]).toEqual([3, false, true]);
      expect(await answerAfter(0, error)).toMatchObject({ rows: [], is_complete: false, has_more: false });
    }
  });

  test('fails if the database does', async () => {
    await expect(answerAfter(0, new Error('the connection was closed'))).rejects.toThrow('closed');
  });
});
