import {
  receiptStoreContracts as contracts,
  type PostedReceipt,
  type ReturnedReceipt,
} from '@receipts/contracts';
import { newId, type Call } from '@receipts/kernel';
import { Harness, refusal } from '../testing/harness';
import { callOf, retailerOf, storeOf } from '../testing/samples';

interface SearchReply {
  readonly hits: number;
  readonly receipts: readonly ReturnedReceipt[];
  readonly time: number;
  readonly explain?: {
    readonly query: { readonly operator: string; readonly clauses: readonly { readonly field: string }[] };
    readonly hits: readonly { readonly id: string; readonly matched: readonly { readonly text: string }[] }[];
  };
}

interface RequestOptions {
  readonly count?: number;
  readonly offset?: number;
  readonly consumer?: string[];
  readonly explain?: boolean;
}

let harness: Harness;

beforeAll(async () => {
  harness = await Harness.start();
});

afterAll(() => harness.stop());

function search(
  retailer: string,
  query: string,
  asked: RequestOptions = {},
  call: Partial<Call> = {},
): Promise<SearchReply> {
  const input = { query: { query, count: 20, offset: 0, ...asked } };
  return harness.read<SearchReply>(contracts.searchReceipts, input as never, callOf(retailer, call));
}

const items = (...names: string[]): PostedReceipt['items'] =>
  names.map((name) => ({ name, quantity: 1, total: 1 }));

const shop = () => harness.retailer((id) => retailerOf(id));

/** Receipts named by letters, in order of arrival, and a function that translates responses to these letters. */
async function shopWith(receipts: Readonly<Record<string, Partial<PostedReceipt>>>, retailer = shop()) {
  const ids = await harness.post(retailer, Object.values(receipts));
  await harness.flushEvents();
  const letters = new Map(ids.map((id, i) => [id, Object.keys(receipts)[i] as string]));
  const found = async (query: string, asked?: RequestOptions, call?: Partial<Call>): Promise<string> =>
    (await search(retailer, query, asked, call)).receipts.map(({ id }) => letters.get(id) ?? '?').join('');
  return { retailer, ids, found };
}

test('immediately finds the complete receipt, and returns an exact count and the duration', async () => {
  const { retailer, ids } = await shopWith({ a: { items: items('Red shirt'), total: 12.5 } });
  const answer = await search(retailer, 'items.name:red');
  expect(answer).toEqual({
    hits: 1,
    hits_relation: 'eq',
    receipts: [await harness.get(retailer, ids[0] as string)],
    time: answer.time,
  });
  expect(Number.isInteger(answer.time)).toBe(true);
  expect(await search(retailer, 'items.name:blue')).toMatchObject({ hits: 0, receipts: [] });
});

describe('order and pages', () => {
  const receipts = {
    a: { items: items('red cotton shirt') },
    b: { items: items('red') },
    c: { items: items('cotton', 'apples') },
    d: { items: items('shirt red') },
    e: { items: items('red') },
    f: { items: items('pears') },
  };
  let shown: Awaited<ReturnType<typeof shopWith>>;
  beforeAll(async () => {
    shown = await shopWith(receipts);
  });

  test.each([
    [
      'more plain conditions first, then newer receipts',
      'items.name:red items.name:cotton items.name:shirt',
      'adecb',
    ],
    [
      'required conditions do not affect the ranking',
      '+items.name:red items.name:shirt items.name:cotton',
      'adeb',
    ],
    ['nothing to rank: newest first', 'items.name:*', 'fedcba'],
    [
      'too many conditions for separate tiers',
      'items.name:red items.name:cotton items.name:shirt total:1 total:2 total:3 total:4',
      'adecb',
    ],
  ])('%s', async (_what, query, order) => {
    expect(await shown.found(query)).toBe(order);
    const { hits } = await search(shown.retailer, query);
    expect(hits).toBe(order.length);
    for (const count of [1, 2, 4]) {
      let walked = '';
      for (let offset = 0; offset < order.length; offset += count)
        walked += await shown.found(query, { count, offset });
      expect(walked).toBe(order);
    }
    expect(await shown.found(query, { offset: 1000 })).toBe('');
  });

  test("uses the retailer's default operator AND", async () => {
    const strict = harness.retailer((id) => retailerOf(id, { search_default_operator: 'and' }));
    const { found } = await shopWith(receipts, strict);
    expect(await found('items.name:red items.name:shirt')).toBe('da');
    expect(await found('items.name:pears OR items.name:apples')).toBe('fc');
  });
});

test('finds all other receipts, and no unused numbers, for a query that only excludes', async () => {
  const taken = newId();
  const { retailer, found } = await shopWith({
    a: { items: items('red'), transaction_id: taken, identifier: 'jo' },
    b: { items: items('blue') },
    c: { items: items('green'), identifier: 'jo' },
  });
  await expect(harness.post(retailer, [{ transaction_id: taken }])).rejects.toMatchObject({ status: 409 });
  await harness.database.db
    .collection<{ _id: string; retailer: string; arrival: number; version: number }>('receipts')
    .insertOne({ _id: newId(), retailer, arrival: 1_000, version: 0 });
  expect(await found('-items.name:red')).toBe('cb');
  expect((await search(retailer, '-items.name:red')).hits).toBe(2);
  expect((await search(retailer, '-items.name:red -items.name:green')).hits).toBe(1);
  expect((await search(retailer, '-items.name:red', { consumer: ['jo'] })).hits).toBe(1);
  expect(await found('items.name:(-red)')).toBe('cb');
  expect(await found('items.name:(-red) total:99')).toBe('cb');
});

describe('restrictions', () => {
  const receipts = {
    a: { identifier: 'ann@example.com', total: 1 },
    b: { identifier: 'bob@example.com', total: 2 },
    c: { total: 3 },
  };

  test('restricts the search and its count to a consumer in the query or the signature', async () => {
    const { retailer, found } = await shopWith(receipts);
    expect(await found('total:*')).toBe('cba');
    expect(await found('total:*', { consumer: ['ann@example.com', 'zoe'] })).toBe('a');
    expect(await found('total:*', {}, { consumers: ['bob@example.com'] })).toBe('b');
    const both = { consumer: ['ann@example.com', 'bob@example.com'] };
    expect(await found('total:*', both, { consumers: ['bob@example.com'] })).toBe('b');
    expect(
      await found('total:*', { consumer: ['ann@example.com'] }, { consumers: ['bob@example.com'] }),
    ).toBe('');
    expect((await search(retailer, 'total:*', {}, { consumers: ['bob@example.com'] })).hits).toBe(1);
  });

  test.each(['identifier:ann', 'identifier.exact:x', 'total:1 -identifier:*'])(
    'rejects %s together with a consumer',
    async (query) => {
      const { retailer } = await shopWith(receipts);
      const description = 'invalid query: identifier can not be used together with consumer';
      for (const [asked, call] of [
        [{ consumer: ['x'] }, {}],
        [{}, { consumers: ['x'] }],
      ] as const) {
        const {
          status,
          code,
          description: event,
        } = await refusal(search(retailer, query, asked as RequestOptions, call));
        expect([status, code, event]).toEqual([400, 'invalid_query', description]);
      }
    },
  );

  test("never finds another retailer's receipts or words", async () => {
    await shopWith({ a: { items: items('Marzipan') } });
    const other = shop();
    expect((await search(other, 'items.name:marzipan')).hits).toBe(0);
    expect((await search(other, '-items.name:x')).hits).toBe(0);
    expect((await search(other, 'items.name:marzipen~')).hits).toBe(0);
  });
});

describe('similar words', () => {
  test('are words in receipts within the given edit distance', async () => {
    const { found } = await shopWith({
      a: { items: items('shirt') },
      b: { items: items('short') },
      c: { items: items('shorts') },
      d: { items: items('skirts') },
      e: { transaction_id: '0011120008' },
    });
    expect(await found('items.name:shrit~')).toBe('a');
    expect(await found('items.name:hsirt~')).toBe('a');
    expect(await found('items.name:shorq~1')).toBe('b');
    expect(await found('items.name:shirt~2')).toBe('dcba');
    expect(await found('items.name:shart~0')).toBe('');
    expect(await found('transaction_id:0011120009~')).toBe('e');
    expect(await found(`items.name:${'x'.repeat(160)}~`)).toBe('');
  });

  test('are known to a process that started later', async () => {
    const { retailer } = await shopWith({ a: { items: items('Cufflinks') } });
    const words = harness.database.db.collection<{ _id: string }>('vocabulary');
    expect(await words.countDocuments({ _id: `${retailer}|in|009|cufflinks` })).toBe(1);
  });
});

test('finds a receipt by every reference of its store', async () => {
  const retailer = shop();
  harness.stores.push(storeOf(retailer, { id: 5, reference: 3, external_reference: 'ABC' }));
  const { found } = await shopWith(
    { a: { store_reference: 'ABC' }, b: { store_reference: 3 }, c: { store_reference: 'XYZ' } },
    retailer,
  );
  expect(await found('store_reference:3')).toBe('ba');
  expect(await found('store_reference:[1 TO 9]')).toBe('ba');
  expect(await found('store_id:5')).toBe('ba');
  expect(await found('external_store_reference:ABC')).toBe('ba');
  expect(await found('external_store_reference:XYZ')).toBe('c');
});

test("searches a retailer's own fields in receipts that arrive after the fields were configured", async () => {
  const retailer = harness.retailer((id) =>
    retailerOf(id, { dynamic_fields: { receipt: { season: 'exact' }, item: {} } }),
  );
  const { found } = await shopWith({ a: { dynamic: { season: 'summer', table: 7 } } }, retailer);
  expect(await found('dynamic.season:summer')).toBe('a');
  const { status, description } = await refusal(search(retailer, 'dynamic.table:7'));
  expect([status, description]).toEqual([400, 'invalid query: dynamic.table is not a valid field']);
  const fields = { receipt: { season: 'exact', table: 'integer' }, item: {} } as const;
  const data = { ...retailerOf(retailer, { dynamic_fields: fields }), version: 2 };
  await harness.fake.deliver({ type: 'retailer.updated', data });
  expect(await found('dynamic.table:7')).toBe('');
  await harness.post(retailer, [{ dynamic: { table: 7 } }]);
  expect((await search(retailer, 'dynamic.table:7')).hits).toBe(1);
});

test('with explain, shows how the query was parsed and why each receipt matches', async () => {
  const { retailer, ids } = await shopWith({
    a: { items: items('red'), total: 5 },
    b: { items: items('red hat') },
  });
  const { explain } = await search(retailer, 'items.name:red total:5 items.name:het~', { explain: true });
  expect(explain?.query).toMatchObject({
    operator: 'or',
    clauses: [{ field: 'items.name' }, { field: 'total' }, { field: 'items.name' }],
  });
  expect(explain?.hits.map(({ id, matched }) => [id, matched.map(({ text }) => text)])).toEqual([
    [ids[1], ['items.name:red', 'items.name:het~']],
    [ids[0], ['items.name:red', 'total:5']],
  ]);
  expect((await search(retailer, 'items.name:red')).explain).toBeUndefined();
});

test.each([
  'foo:bar',
  'foo',
  'total:abc',
  '   ',
  'items.name:"open',
  '*:*',
  '__proto__:1',
  'items.name:sh?rt',
])('rejects %s before anything is read', async (query) => {
  const { status, code, description } = await refusal(search(shop(), query));
  expect([status, code]).toEqual([400, 'invalid_query']);
  expect(description).toMatch(/^invalid query: /);
});

test.each([
  'items.name:((a+)+)$',
  'items.name:.*',
  'identifier:$ne',
  'items.name:"[a-z]+ x"',
  'items.name:"$gt"',
])('treats %s only as text', async (query) => {
  const { retailer } = await shopWith({ a: { items: items('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!') } });
  expect((await search(retailer, query).catch(() => ({ hits: 0 }))).hits).toBe(0);
});

test('returns 503 with Retry-After if a search takes too long', async () => {
  const { retailer } = await shopWith({ a: {} });
  const error = await refusal(search(retailer, 'total:*', {}, { deadline: Date.now() }));
  expect([error.status, error.code, error.headers]).toEqual([503, 'unavailable', { 'retry-after': '1' }]);
});

test('rejects too many concurrent searches by a retailer, without delaying others', async () => {
  const { retailer } = await shopWith({ a: {}, b: {} });
  const { found } = await shopWith({ a: {} });
  const outcomes = Promise.all(
    Array.from({ length: 60 }, () =>
      search(retailer, 'total:*').then(
        () => 200,
        (error: { status: number }) => error.status,
      ),
    ),
  );
  expect(await found('total:*')).toBe('a');
  const statuses = await outcomes;
  expect(statuses.filter((status) => status === 200)).toHaveLength(36);
  expect(statuses.filter((status) => status === 429)).toHaveLength(24);
});
