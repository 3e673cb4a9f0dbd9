import {
  failingReceiptsMax,
  receiptStoreContracts as contracts,
  tooManySearches,
  type FailingReceipt,
  type PostedReceipt,
} from '@receipts/contracts';
import { SearchLimiter } from '@receipts/search';
import { MongoServerError } from 'mongodb';
import { Harness, refusal } from '../testing/harness';
import { callOf, retailerOf } from '../testing/samples';
import { listFailingReceipts } from './list-failing-receipts';
import type { Parts } from './parts';

let harness: Harness;
beforeAll(async () => {
  harness = await Harness.start();
});
afterAll(() => harness.stop());

interface Answer {
  readonly receipts: readonly FailingReceipt[];
  readonly is_complete: boolean;
}

async function list(retailer: string, body: object = {}, consumers?: readonly string[]): Promise<Answer> {
  const input = { body: { query: '', ...body } } as never;
  const call = callOf(retailer, { ...(consumers && { consumers }) });
  return (await harness.fake.call(contracts.listFailingReceipts, input, call)).body as Answer;
}

const refusalCode = ({ code }: { readonly code?: string }) => code;

const shop = () => harness.retailer((id) => retailerOf(id));
const failing = (change: Partial<PostedReceipt> = {}): Partial<PostedReceipt> => ({
  ...{ items: [{ name: 'Tea', quantity: 1, total: 10 }], total: 11, payments: [] },
  ...change,
});

test('lists failing receipts with their failed checks, newest first', async () => {
  const retailer = shop();
  const [, wrong, later] = await harness.post(retailer, [
    failing({ total: 10 }),
    failing({ till_uuid: 'till-1', store_reference: 'corner' }),
    failing(),
  ]);
  const { receipts, is_complete } = await list(retailer);
  expect(receipts.map(({ id }) => id)).toEqual([later, wrong]);
  expect(receipts[1]).toMatchObject({
    ...{ store_reference: 'corner', store_name: null, till_uuid: 'till-1', total: 11 },
    checks: [{ code: 'items_total', path: '/total', expected: 10, actual: 11 }],
  });
  expect(is_complete).toBe(true);
  expect((await list(shop())).receipts).toEqual([]);
});

test('filters by code and by query', async () => {
  const retailer = shop();
  const [unpaid, other] = await harness.post(retailer, [
    failing({ total: 10, payments: [{ method: 'cash', amount: 9 }] }),
    failing({ identifier: 'jane' }),
  ]);
  const ids = async (body: object, consumers?: string[]) =>
    (await list(retailer, body, consumers)).receipts.map(({ id }) => id);
  expect(await ids({ code: 'payments_total' })).toEqual([unpaid]);
  expect(await ids({ code: 'net_total' })).toEqual([]);
  expect(await ids({ query: '+identifier:jane' })).toEqual([other]);
  expect(await ids({}, ['jane'])).toEqual([other]);
  expect(await refusal(list(retailer, { query: 'nonsense:1' }))).toMatchObject({ code: 'invalid_query' });
});

test('counts as a search, of which a retailer may make only some at once', async () => {
  const retailer = shop();
  await harness.post(retailer, [failing()]);
  const outcomes = await Promise.all(
    Array.from({ length: 60 }, () => list(retailer).then(({ receipts }) => receipts.length, refusalCode)),
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
  async function answerAfter(count: number, error: Error): Promise<Answer> {
    async function* newest() {
      for (let sent = 0; sent < count; sent++) yield { text };
      throw error;
    }
    const findRetailer = async () => retailerOf('shop');
    const parts = { search: { newest }, findRetailer } as unknown as Parts;
    const handler = listFailingReceipts(parts, new SearchLimiter(tooManySearches));
    const input = { body: { query: '' } } as never;
    return (await handler(input, callOf('shop'))).body as Answer;
  }

  test('lists the receipts that were found in time', async () => {
    for (const error of [timeout(), maxTimeExpired()]) {
      const { receipts, is_complete } = await answerAfter(3, error);
      expect([receipts.length, is_complete]).toEqual([3, false]);
    }
    expect(await answerAfter(0, maxTimeExpired())).toEqual({ receipts: [], is_complete: false });
  });

  test('fails only if it sends nothing at all', async () => {
    await expect(answerAfter(0, timeout())).rejects.toThrow('aborted');
  });
});

test('reports whether there are more', async () => {
  const retailer = shop();
  for (let posted = 0; posted <= failingReceiptsMax; posted += 100) {
    await harness.post(
      retailer,
      Array.from({ length: 100 }, () => failing()),
    );
  }
  const { receipts, is_complete } = await list(retailer);
  expect([receipts.length, is_complete]).toEqual([failingReceiptsMax, false]);
});
