import { countTurns } from '@receipts/testing';
import { parseQuery } from '@receipts/search-language';
import { searchFieldsOf } from '../domain/receipt-search';
import type { StoreDirectory } from '../storage/store-directory';
import { retailerOf } from '../testing/samples';
import { explainHits } from './explain-hits';

const receipt = (name: string) => ({
  _id: name,
  text: JSON.stringify({ items: [{ name, quantity: 1, total: 1 }], total: 1 }),
  store_key: 'ref:1',
});

const found = {
  retailer: 'demo',
  query: parseQuery('items.name:red total:1'),
  fields: searchFieldsOf(retailerOf('demo')),
  options: {},
  receipts: ['red hat', 'blue hat', 'shirt'].map(receipt),
};

const explain = (deadline: number) => explainHits({} as StoreDirectory, found, { deadline });

afterEach(() => jest.restoreAllMocks());

test('says of each hit which parts of the query it meets, and lets others have their turn between them', async () => {
  let now = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => (now += 10));
  const turns = countTurns();
  const hits = await explain(Infinity);
  expect(hits.map(({ id, matched }) => [id, matched.map(({ text }) => text)])).toEqual([
    ['red hat', ['items.name:red', 'total:1']],
    ['blue hat', ['total:1']],
    ['shirt', ['total:1']],
  ]);
  expect(turns()).toBeGreaterThanOrEqual(found.receipts.length);
});

test('ends with its time', async () => {
  await expect(explain(Date.now())).rejects.toMatchObject({
    status: 503,
    code: 'unavailable',
    headers: { 'retry-after': '1' },
  });
});
