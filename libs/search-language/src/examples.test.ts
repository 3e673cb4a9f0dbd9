import {
  compile,
  evaluate,
  explainHit,
  explainQuery,
  keyOfStoreId,
  parseQuery,
  rankingTiers,
  receiptFields,
  searchDocument,
  withinEdits,
} from './index';
import { wordOf } from './vocabulary';
import { meets } from './filter-match';
import type { BindOptions } from './bind-query';
import type { FindWords } from './compile';

const item = (name: string, quantity: number, total: number, more: object = {}) => ({
  name,
  quantity,
  total,
  net: null,
  unit: null,
  discounts: [],
  return: null,
  vat: null,
  properties: {},
  dynamic: {},
  ...more,
});

const receipt = (fields: object) => ({
  identifier: null,
  discounts: [],
  payments: [],
  pos_data_ids: [],
  properties: {},
  dynamic: {},
  store: {
    address: [],
    city: null,
    country: null,
    name: null,
    phone: null,
    vatno: null,
    company: null,
    postcode: null,
    properties: {},
  },
  ...fields,
});

const discount = { name: 'Autumn sale', quantity: 1, amount: -0.5 };

/** Receipts as the API returns them, oldest first. */
const receipts: Record<string, Record<string, unknown>> = {
  A: receipt({
    transaction_id: '0011120008',
    timestamp: '2013-04-30T13:57:00+00:00',
    identifier: '990000000001',
    total: 10,
    items: [item('Cufflinks', 1, 10, { properties: { product_code: 'CL-1' } })],
    payments: [{ method: 'cash', amount: 10, change: 0 }],
    store_reference: '1',
    store_id: 11,
  }),
  B: receipt({
    transaction_id: '0011120008-duplicate-etxv',
    timestamp: '2024-10-12T23:30:00+00:00',
    identifier: 'joe.smith@example.com',
    total: 35.5,
    items: [
      item('Red cotton shirt', 2, 30, { unit: 'pcs' }),
      item('Blue socks * sale', 1, 5.5, { discounts: [discount] }),
    ],
    payments: [{ method: 'card', amount: 35.5, details: { number: '1234', type: 'debit' } }],
    store_reference: '42',
    properties: { email: 'joe.smith@example.com', salesperson: 'Anna-Maria Öberg' },
    discounts: [{ name: 'Regular customer', quantity: 3, amount: -1 }],
    pos_data_ids: ['65f0c0ffee65f0c0ffee0001'],
  }),
  C: receipt({
    transaction_id: 'T:77/9',
    timestamp: '2024-10-16T00:00:00+00:00',
    total: -12.5,
    items: [
      item('Shirt red', -1, -12.5, {
        'name:de_AT': 'Rotes Hemd',
        return: { localtime: '2024-10-15T18:00:00+02:00', reason: 'too small' },
      }),
    ],
    payments: [{ method: 'giftcard', amount: -12.5 }],
    store_reference: 'ABC',
    properties: { email: 'jo+tag@mail.example.org' },
  }),
  D: receipt({
    transaction_id: '9',
    timestamp: '2024-10-14T08:00:00+00:00',
    identifier: '1001',
    total: 15,
    items: [item('Café crème', 0.5, 5, { unit: 'kg' }), item('Apples', 3, 100)],
    store_reference: '1',
    store_id: 11,
  }),
};

const fields = receiptFields();
/** A record's document, with the fields that have indexes besides those of the search document. */
const documentOf = (record: Record<string, unknown>) => ({
  search: searchDocument(fields, record),
  identifier: record['identifier'],
  store_key: typeof record['store_id'] === 'number' ? keyOfStoreId(record['store_id']) : undefined,
});
const documents = Object.fromEntries(
  Object.entries(receipts).map(([name, record]) => [name, documentOf(record)]),
);
const vocabulary = Object.values(documents).flatMap(({ search: { terms, texts } }) =>
  [...terms, ...texts].flatMap((token) => wordOf(token) ?? []),
);
const words: FindWords = async (code, word, edits) =>
  vocabulary
    .filter((known) => known.code === code && withinEdits(word, known.word, edits))
    .map((known) => known.word);

/** The names of matching receipts, best first. The filter and the evaluation must agree on them. */
async function find(text: string, options: BindOptions = {}): Promise<string> {
  const query = parseQuery(text);
  const compiled = await compile(query, fields, { ...options, words });
  const newestFirst = Object.keys(receipts).reverse();
  const evaluated = newestFirst.filter(
    (name) =>
      evaluate(query, fields, receipts[name]!, { ...options, expansions: compiled.expansions }).matches,
  );
  const filtered = newestFirst.filter((name) => meets(compiled.filter, documents[name]!));
  expect(evaluated).toEqual(filtered);
  const ranking = rankingTiers(compiled);
  if (ranking.kind === 'score') throw new Error('the examples have few clauses');
  const ranked = ranking.tiers.flatMap((tier) => newestFirst.filter((name) => meets(tier, documents[name]!)));
  expect([...ranked].sort()).toEqual([...filtered].sort());
  return ranked.join(' ');
}

test.each([
  ['total:10', 'A'],
  ['total:10.0', 'A'],
  ['total:1e1', 'A'],
  ['total:-12.5', 'C'],
  ['total:"-12.5"', 'C'],
  ['total:{10 TO 35.5]', 'D B'],
  ['total:[10 TO 35.5}', 'D A'],
  ['total:>10', 'D B'],
  ['total:<=10', 'C A'],
  ['total:(10 15)', 'D A'],
  ['total:([0 TO 12] >=35)', 'B A'],
  ['items.quantity:1', 'B A'],
  ['items.quantity:[* TO 0]', 'C'],
  ['items.quantity:[0 TO 1]', 'B A'],
  ['items.quantity.decimal:0.5', 'D'],
  ['items.quantity.decimal:[0 TO 1]', 'D B A'],
  ['items.total:[6 TO 29]', 'A'],
  ['items.unit:kg', 'D'],
  ['items.unit:*', 'D B'],
  ['timestamp:2024-10-12', 'B'],
  ['timestamp:2024-10', 'D C B'],
  ['timestamp:2024', 'D C B'],
  ['timestamp:[2024-10-12 TO 2024-10-16}', 'D B'],
  ['timestamp:[2024-10-12 TO 2024-10-16]', 'D C B'],
  ['timestamp:{2024-10-12 TO *]', 'D C'],
  ['timestamp:>2024-10-14T08', 'C'],
  ['timestamp:>=2024-10-14T08', 'D C'],
  ['timestamp:2013-04-30T14:57:00+01:00', 'A'],
  ['timestamp:2013-04-30T13:57Z', 'A'],
  ['timestamp:2013-04-30T13:57:00.000Z', 'A'],
  ['items.return.localtime:2024-10-15T16:00', 'C'],
  ['items.name:shirt', 'C B'],
  ['items.name:SHIRT', 'C B'],
  ['items.name:shir', ''],
  ['items.name:shir*', 'C B'],
  ['items.name:"red shirt"', ''],
  ['items.name:"red cotton"', 'B'],
  ['items.name:red-cotton', 'B'],
  ['items.name:"cotton shi"', ''],
  ['items.name:cotton-shi*', 'B'],
  ['items.name:"red shirt"~1', 'B'],
  ['items.name:"red shirt"~2', 'C B'],
  ['items.name:(+red -cotton blue)', 'C'],
  ['items.name:(red cotton)', 'C B'],
  ['items.name:(red AND cotton)', 'B'],
  ['items.name:(red NOT cotton)', 'C'],
  ['items.name:(+(red blue) -(cotton crème))', 'C'],
  ['items.name:(-red)', 'D A'],
  ['items.name:shrit~', 'C B'],
  ['items.name:shirts~1', 'C B'],
  ['items.name:shirts~0', ''],
  ['items.name:red-cottn~1', 'B'],
  ['items.name:"*"', 'B'],
  ['items.name:\\*', 'B'],
  ['items.name:*', 'D C B A'],
  ['items.name:creme', 'D'],
  ['items.name:"CAFÉ CRÈME"', 'D'],
  ['items.name:hemd', 'C'],
  ['items.name:socks-red', ''],
  ['+items.name:red -items.return:*', 'B'],
  ['items.return:*', 'C'],
  ['-items.return:*', 'D B A'],
  ['items.return.reason:small', 'C'],
  ['items.return.reason:*', 'C'],
  ['items.properties.product_code:CL-1', 'A'],
  ['items.properties.product_code:cl-1', ''],
  ['items.properties.product_code:CL*', 'A'],
  ['items.properties:*', 'A'],
  ['items.discounts:*', 'B'],
  ['items.discounts.name:sale', 'B'],
  ['items.discounts.amount:-0.5', 'B'],
  ['items.discounts_length:0', 'D C B A'],
  ['items.discounts_length:1', 'B'],
  ['items.discounts_quantity:1', 'B'],
  ['items_length:2', 'D B'],
  ['discounts:*', 'B'],
  ['discounts.name:regular', 'B'],
  ['discounts.quantity:3', 'B'],
  ['discounts_length:0', 'D C A'],
  ['discounts_quantity:[1 TO *]', 'B'],
  ['identifier:joe.smith@exa', 'B'],
  ['identifier:smi', 'B'],
  ['identifier:9900', 'A'],
  ['identifier.exact:joe.smith@example.com', 'B'],
  ['identifier.exact:joe.smith', ''],
  ['identifier.exact:joe*', 'B'],
  ['-identifier:*', 'C'],
  ['properties.email:jo+tag@mail', 'C'],
  ['properties.email.exact:jo+tag@mail.example.org', 'C'],
  ['properties.salesperson:oberg', 'B'],
  ['properties.salesperson:"anna maria"', 'B'],
  ['properties.salesperson:"-"', 'B'],
  ['properties:*', 'C B'],
  ['payments:*', 'C B A'],
  ['-payments:*', 'D'],
  ['payments.method:card', 'B'],
  ['payments.method:Card', ''],
  ['payments.method:(card cash)', 'B A'],
  ['payments.number:1234', 'B'],
  ['payments.change:0', 'A'],
  ['payments.change:*', 'A'],
  ['payments_length:0', 'D'],
  ['store_reference:1', 'D A'],
  ['store_reference:[2 TO *]', 'B'],
  ['store_reference:*', 'D C B A'],
  ['external_store_reference:ABC', 'C'],
  ['store_id:11', 'D A'],
  ['pos_data_ids:65f0c0ffee65f0c0ffee0001', 'B'],
  ['transaction_id:0011120008', 'B A'],
  ['transaction_id:T:77/9', 'C'],
  ['transaction_id:9', 'D C'],
  ['transaction_id:duplicate', 'B'],
  ['items.name:red +total:[30 TO *]', 'B'],
  ['items.name:red total:10', 'C B A'],
  ['items.name:red items.name:cotton items.name:shirt', 'B C'],
  ['items.name:red +store_reference:[1 TO *]', 'B D A'],
  ['items.name:red AND total:10', ''],
  ['items.name:red && payments.method:card', 'B'],
  ['items.name:red OR total:10', 'C B A'],
  ['items.name:red NOT payments.method:card', 'C'],
  ['items.name:red !payments.method:card', 'C'],
  ['items.name:shirt items.total:5', 'C B D'],
  ['+items.name:shirt +items.total:5.5', 'B'],
])('%s finds %s', async (query, expected) => {
  const found = await find(query);
  expect(found.split(' ').sort()).toEqual(expected.split(' ').sort());
  if (query.split(' ').length > 2) expect(found).toBe(expected);
});

test('requires every plain clause with the default operator AND, while OR makes its neighbours optional', async () => {
  const and = { operator: 'and' } as const;
  expect(await find('items.name:red total:10', and)).toBe('');
  expect(await find('items.name:red OR total:10', and)).toBe('C B A');
  expect(await find('items.name:red items.name:cotton', and)).toBe('B');
  expect(await find('items.name:(red cotton)', and)).toBe('B');
});

test('explains a query and its hits', async () => {
  const query = parseQuery('items.name:(red -cotton) +total:[30 TO *]');
  expect(explainQuery(query, fields)).toEqual({
    operator: 'or',
    clauses: [
      {
        occur: 'should',
        start: 0,
        end: 24,
        text: 'items.name:(red -cotton)',
        clauses: [
          {
            occur: 'should',
            start: 12,
            end: 15,
            text: 'red',
            field: 'items.name',
            type: 'partial',
            test: { kind: 'words', words: ['red'], lastIsPrefix: false, edits: [0] },
          },
          {
            occur: 'must_not',
            start: 16,
            end: 23,
            text: '-cotton',
            field: 'items.name',
            type: 'partial',
            test: { kind: 'words', words: ['cotton'], lastIsPrefix: false, edits: [0] },
          },
        ],
      },
      {
        occur: 'must',
        start: 25,
        end: 41,
        text: '+total:[30 TO *]',
        field: 'total',
        type: 'float',
        test: { kind: 'between', low: { value: 30, inclusive: true } },
      },
    ],
  });
  const matched = (name: string) => explainHit(query, fields, receipts[name]!).map(({ text }) => text);
  expect(matched('B')).toEqual(['red', '-cotton', '+total:[30 TO *]']);
  expect(matched('C')).toEqual(['items.name:(red -cotton)', 'red']);
  expect(matched('D')).toEqual([]);
});

test('can stop an evaluation at any of its conditions', () => {
  const query = parseQuery('items.name:(red -cotton) +total:[30 TO *]');
  let looked = 0;
  const onCondition = () => {
    if (++looked === 3) throw new Error('enough');
  };
  expect(() => evaluate(query, fields, receipts['B']!, { onCondition })).toThrow('enough');
  expect(looked).toBe(3);
});

test('never turns text from the query into a pattern or an operator in a filter', async () => {
  const { filter } = await compile(
    parseQuery(
      '+items.name:a.b|c +identifier.exact:\\$ne* +items.properties.product_code:\\$where -total:>5',
    ),
    fields,
    { words },
  );
  expect(filter).toEqual({
    $and: [
      { 'search.terms': { $all: ['in:a', 'in:b', 'in:c'] } },
      { 'search.texts': { $regex: '^in\\|.* a b c ' } },
      { identifier: { $gte: '$ne', $lt: '$nf' } },
      { 'search.terms': 'io=$where' },
      { $nor: [{ 'search.numbers.to': { $gt: 5 } }] },
    ],
  });
});

test('rejects queries that would read too much of the vocabulary, or need too complex a pattern', async () => {
  const many = 'items.name:a1b-a2b-a3b-a4b-a5b-a6b~1 '.repeat(11);
  await expect(compile(parseQuery(many), fields, { words })).rejects.toMatchObject({
    status: 400,
    description: 'invalid query: there are more than 64 words with ~',
  });
  const offered: FindWords = async (_code, word) =>
    [...'0123456789abcdefghijklmnopqrstuvwxyz'].map((last) => word.slice(0, -1) + last);
  const long = Array.from({ length: 8 }, (_, i) => `${'y'.repeat(150)}${i}`).join('-');
  await expect(compile(parseQuery(`items.name:${long}~1`), fields, { words: offered })).rejects.toMatchObject(
    {
      status: 400,
      description: 'invalid query: it has too many similar or distant words',
    },
  );
});

test.each([
  ['items.name:"red shirt"', ['tired shirt', 'red'], false],
  ['items.name:"red shirt"', ['red shirts', 'shirt'], false],
  ['items.name:"red shirt"', ['red', 'shirt'], false],
  ['items.name:"red shirt"~30', ['red', 'shirt'], false],
  ['items.name:"red shirt"', ['Red: SHIRT!'], true],
  ['items.name:red-shi*', ['red shirt2é'], true],
  ['items.name:red-shi*', ['red', 'shirt'], false],
  ['items.name:"red shirt blue"~3', ['blue shirt red'], false],
  ['items.name:"red shirt blue"~4', ['blue shirt red'], true],
  ['items.name:"red shirt"~3', ['red a b c shirt'], true],
  ['items.name:"red shirt"~3', ['red a b c d shirt'], false],
  ['items.name:"red shirt"~3', ['a shirt b red'], true],
  ['items.name:"red shirt"~2', ['a shirt b red'], false],
  ['items.name:"€"', ['a @€# b'], true],
  ['items.name:"@#"', ['a @€# b'], false],
  ['items.name:"* *"', ['a *   * b'], true],
  ['items.name:"."', ['1.5 kg'], true],
  ['items.name:".*"', ['1.5 kg'], false],
  ['items.name:"\\\\"', ['a\\b'], true],
  ['items.name:"|"', ['a|b'], true],
  ['items.name:天気', ['東京の天気'], true],
  ['items.name:京の', ['東京の天気'], false],
  ['items.properties.product_code:"a|b"', ['a|b'], false],
  ['items.name:""', [''], true],
  ['items.name:*', [''], true],
  ['items.name:*', [null], false],
  ['items.name:*', [[{ en: null }]], false],
  ['items.name:*', [[{ en: 'a' }]], true],
])('evaluates %s on items named %j to %j', async (text, itemNames, expected) => {
  const record = { items: itemNames.map((name) => ({ name })) };
  const query = parseQuery(text);
  const { filter } = await compile(query, fields, { words });
  expect(meets(filter, documentOf(record))).toBe(expected);
  expect(evaluate(query, fields, record).matches).toBe(expected);
});
