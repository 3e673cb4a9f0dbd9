import { returnedReceiptExample } from '@receipts/contracts';
import { countTurns } from '@receipts/testing';
import { parseQuery } from '@receipts/search-language';
import { searchFieldsOf } from '../domain/receipt-search';
import type { StoreDirectory } from '../storage/directories';
import { retailerOf } from '../testing/samples';
import { explainHits } from './explain-hits';

const receipt = (name: string) => ({
  _id: name,
  text: JSON.stringify({
    ...returnedReceiptExample,
    items: [{ ...returnedReceiptExample.items[0], name, quantity: 1, total: 1 }],
    total: 1,
  }),
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

test('explains for each hit which parts of the query match, and yields between hits', async () => {
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

test('omits hits when the time limit is reached', async () => {
  const begun = Date.now();
  let asked = 0;
  jest.spyOn(Date, 'now').mockImplementation(() => begun + asked++);
  const hits = await explain(begun + found.receipts.length);
  expect(hits.map(({ id }) => id)).toEqual(['red hat']);
});
