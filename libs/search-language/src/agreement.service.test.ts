import { startMongo, testDatabase, type Mongo } from '@receipts/testing';
import fc from 'fast-check';
import { MongoClient, type Collection, type Document } from 'mongodb';
import {
  compile,
  evaluate,
  identifierFields,
  keyOfStoreId,
  parseQuery,
  rankingTiers,
  receiptFields,
  searchDocument,
  searchIndexes,
  singleValueIndexes,
  withinEdits,
  wordOf,
  type DefaultOperator,
  type FieldCatalogue,
  type Filter,
  type FindWords,
  type SearchableRecord,
} from './index';
import type { FieldType } from './fields';
import { meets } from './filter-match';

/** Similar words, so that generated queries often match generated records, or nearly match them. */
const wordList = [
  'red',
  'red',
  'ared',
  'blue',
  'rde',
  'reds',
  'Rede',
  'blue',
  'Éa',
  'ea',
  '東京の天気',
  'x1',
  '42',
  'shirt',
  'shrit',
];
const long = 'l'.repeat(199);
const longWordList = [long, `${long}o`, `${long}on`, `${long}oo`];
const separators = [' ', ' ', ' ', '-', '.', ' * ', '@', '€', '', '  ', '\n', ' | ', '#', ' \\ ', '"'];
const dates = [
  '2024',
  '2024-02',
  '2024-02-29',
  '2024-02-29T23',
  '2024-02-29T23:59:59',
  '2024-03-01T00:30:00+01:00',
];
const numbers = [-1, 0, 0.5, 1, 2, 3, 1e21, -12.5];

/** Texts without words, which are searched as literals. */
const symbols = fc.array(fc.constantFrom(...separators), { maxLength: 3 }).map((parts) => parts.join(''));
const wordyTexts = fc
  .array(
    fc.tuple(
      fc.constantFrom(...separators),
      fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...wordList) }, fc.constantFrom(...longWordList)),
      fc.constantFrom(...separators),
    ),
    { maxLength: 4 },
  )
  .map((parts) => parts.flat().join(''));
const texts = fc.oneof({ weight: 6, arbitrary: wordyTexts }, symbols);
const moments = fc.oneof(
  fc.constantFrom(
    '2024-02-29T23:59:59.999+00:00',
    '2024-03-01T00:00:00+01:00',
    '2024-03-01',
    'soon',
    '2023-12-31T23:59:59Z',
  ),
  fc.constantFrom(Date.UTC(2024, 1, 29), Date.UTC(2025, 0)),
);
const scalars = fc.oneof(texts, fc.constantFrom<unknown>(...numbers), fc.boolean());
const sparse = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary }, fc.constantFrom<unknown>(null, undefined, [], {}, [null]));
const free = sparse(
  fc.oneof(scalars, moments, fc.array(fc.oneof(scalars, fc.constant(null)), { maxLength: 3 })),
);

const object = (members: Record<string, fc.Arbitrary<unknown>>) => fc.record(members, { requiredKeys: [] });
const list = (element: fc.Arbitrary<unknown>) => sparse(fc.array(element, { maxLength: 3 }));

const discount = object({ name: free, quantity: sparse(fc.constantFrom(...numbers)), amount: free });
const item = object({
  name: free,
  'name:de': free,
  quantity: free,
  unit: free,
  total: free,
  discounts: list(discount),
  return: sparse(object({ localtime: sparse(moments), reason: free })),
  properties: sparse(object({ details: free, product_code: free })),
  dynamic: sparse(object({ 'a=b:c': free, size: free, made: sparse(moments) })),
});
const details = { change: free, number: free, method: free };
const receipt = object({
  transaction_id: free,
  timestamp: sparse(moments),
  identifier: fc.option(texts),
  total: free,
  store_id: fc.option(fc.constantFrom(1, 2, 12, 42)),
  store_reference: free,
  external_store_reference: free,
  pos_data_ids: free,
  items: list(fc.oneof({ weight: 9, arbitrary: item }, fc.constant(null))),
  discounts: list(discount),
  payments: list(object({ ...details, details: sparse(object(details)) })),
  properties: sparse(object({ email: free, operator: free, salesperson: free })),
  dynamic: sparse(object({ note: free, since: sparse(moments) })),
}) as fc.Arbitrary<SearchableRecord>;
const identifier = object({
  identifier: fc.option(texts),
  properties: object({
    name: sparse(object({ title: free, first: free, last: free })),
    address: free,
    email: free,
    birthdate: sparse(moments),
  }),
}) as fc.Arbitrary<SearchableRecord>;

const catalogue = receiptFields({
  receipt: { note: 'partial', since: 'date' },
  item: { 'a=b:c': 'exact', size: 'integer', made: 'date' },
});

const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;
const escaped = (text: string) => text.replace(/[\s\S]/gu, '\\$&');
const word = fc.constantFrom(...wordList, ...longWordList);
const similar = fc
  .constantFrom(...wordList)
  .chain((base) => fc.constantFrom('', '~', '~0', '~1', '~2').map((edits) => base + edits));
const prefixes = word.chain((base) =>
  fc.integer({ min: 1, max: Math.min(base.length, 160) }).map((end) => `${base.slice(0, end)}*`),
);
const phrases = fc.tuple(texts.map(quoted), fc.constantFrom('', '', '~'));
const near = fc
  .uniqueArray(fc.constantFrom(...wordList), {
    minLength: 2,
    maxLength: 4,
    selector: (text) => text.replace('É', 'e').toLowerCase(),
  })
  .chain((words) => fc.integer({ min: 0, max: 5 }).map((distance) => `"${words.join(' ')}"~${distance}`));

function ranges(bound: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof(
    fc
      .tuple(
        fc.constantFrom('[', '{'),
        fc.oneof(bound, fc.constant('*')),
        fc.oneof(bound, fc.constant('*')),
        fc.constantFrom(']', '}'),
      )
      .map(([open, low, high, close]) => `${open}${low} TO ${high}${close}`),
    fc
      .tuple(fc.constantFrom('>', '>=', '<', '<='), bound)
      .map((parts) => parts.join('').replace(/:/g, '\\:')),
  );
}

const valuesByType: Record<FieldType, fc.Arbitrary<string>> = {
  exists: fc.constant('*'),
  partial: fc.oneof(
    similar,
    prefixes,
    near,
    phrases.map((parts) => parts.join('')),
    texts.filter(Boolean).map(escaped),
    symbols.map(quoted),
  ),
  prefix: fc.oneof(
    similar,
    prefixes,
    texts.map(quoted),
    texts.filter(Boolean).map(escaped),
    symbols.map(quoted),
  ),
  exact: fc.oneof(
    texts.map(quoted),
    fc.constantFrom(...numbers.map((n) => quoted(String(n)))),
    prefixes,
    word,
  ),
  integer: fc.oneof(
    fc.constantFrom('-1', '0', '1', '+2', '42'),
    ranges(fc.constantFrom('-1', '0', '1', '2')),
  ),
  float: fc.oneof(
    fc.constantFrom('-1', '0.5', '1e0', '.5', '-12.50', '42'),
    ranges(fc.constantFrom('-1', '0', '.5', '2')),
  ),
  date: fc.oneof(fc.constantFrom(...dates).map(quoted), ranges(fc.constantFrom(...dates))),
};

const modifiers = fc.constantFrom('', '', '', '+', '-', 'NOT ');
const conjunctions = fc.constantFrom('', '', '', 'AND ', 'OR ', '&& ');

const joined = (clauses: fc.Arbitrary<string>, minLength: number, maxLength: number) =>
  fc
    .array(fc.tuple(conjunctions, clauses), { minLength, maxLength })
    .map((parts) => parts.map(([word, clause], i) => (i === 0 ? clause : word + clause)).join(' '));

function group(value: fc.Arbitrary<string>, depth: number): fc.Arbitrary<string> {
  const inner = depth === 0 ? value : fc.oneof({ weight: 4, arbitrary: value }, group(value, depth - 1));
  return joined(
    fc.tuple(modifiers, inner).map((parts) => parts.join('')),
    1,
    3,
  ).map((text) => `(${text})`);
}

function clauses(fields: FieldCatalogue): fc.Arbitrary<string> {
  return fc.constantFrom(...fields.values()).chain((field) => {
    const value = fc.oneof({ weight: 5, arbitrary: valuesByType[field.type] }, fc.constant('*'));
    const path = field.path.replace(/[=:]/g, '\\$&');
    return fc
      .tuple(modifiers, fc.oneof({ weight: 2, arbitrary: value }, group(value, 1)))
      .map(([modifier, text]) => `${modifier}${path}:${text}`);
  });
}

const queries = (fields: FieldCatalogue): fc.Arbitrary<string> => joined(clauses(fields), 1, 8);

const operators = fc.constantFrom<DefaultOperator>('or', 'or', 'and');

/** The fields of a document that have indexes in addition to those of the search document. */
function columnsOf({ identifier, store_id: store }: SearchableRecord): {
  readonly identifier?: string;
  readonly store_key: string;
} {
  return {
    ...(typeof identifier === 'string' && { identifier }),
    store_key: typeof store === 'number' ? keyOfStoreId(store) : 'ref:x',
  };
}

/** Records with the data derived from them: search documents and vocabulary. */
function kept(fields: FieldCatalogue, records: readonly SearchableRecord[]) {
  const documents = records.map((record) => ({
    record,
    search: searchDocument(fields, record),
    ...columnsOf(record),
  }));
  const vocabulary = documents.flatMap(({ search: { terms, texts } }) =>
    [...terms, ...texts].flatMap((token) => wordOf(token) ?? []),
  );
  const words: FindWords = async (code, word, edits) =>
    vocabulary
      .filter((known) => known.code === code && withinEdits(word, known.word, edits))
      .map((known) => known.word);
  return { documents, words };
}

const someRecords = (records: fc.Arbitrary<SearchableRecord>) =>
  fc.array(records, { minLength: 1, maxLength: 8 });

describe.each([
  ['receipts', catalogue, receipt],
  ['identifiers', identifierFields, identifier],
])('for generated %s and queries', (_name, fields, records) => {
  test('returns the same results with the filter and the evaluation', async () => {
    let hits = 0;
    let misses = 0;
    await fc.assert(
      fc.asyncProperty(someRecords(records), queries(fields), operators, async (some, text, operator) => {
        const { documents, words } = kept(fields, some);
        const query = parseQuery(text);
        const { filter, expansions } = await compile(query, fields, { operator, words });
        for (const document of documents) {
          const { record } = document;
          const { matches } = evaluate(query, fields, record, { operator, expansions });
          expect([text, meets(filter, document)]).toEqual([text, matches]);
          // The vocabulary contains all words of the records, so expansions do not change the result.
          expect([text, evaluate(query, fields, record, { operator }).matches]).toEqual([text, matches]);
          if (matches) hits++;
          else misses++;
        }
      }),
      { numRuns: 700 },
    );
    // The test is meaningful only if queries match some records but not others.
    expect(Math.min(hits, misses)).toBeGreaterThan(100);
  });

  test('counts the matching records with the tally', async () => {
    await fc.assert(
      fc.asyncProperty(someRecords(records), clauses(fields), async (some, text) => {
        const { documents, words } = kept(fields, some);
        const { filter, tally } = await compile(parseQuery(text), fields, { words });
        const count = (filters: readonly Filter[]) =>
          filters.reduce((sum, one) => sum + documents.filter((document) => meets(one, document)).length, 0);
        expect([text, count(tally.plus) - count(tally.minus)]).toEqual([text, count([filter])]);
      }),
      { numRuns: 700 },
    );
  });

  test('creates disjoint tiers that contain every hit and are sorted from best to worst', async () => {
    await fc.assert(
      fc.asyncProperty(someRecords(records), queries(fields), async (some, text) => {
        const { documents, words } = kept(fields, some);
        const compiled = await compile(parseQuery(text), fields, { words });
        const plain = (document: object) => compiled.plain.filter((one) => meets(one, document)).length;
        const found = (filter: Filter) => documents.filter((document) => meets(filter, document));
        const hits = found(compiled.filter);
        const ranking = rankingTiers(compiled);
        if (ranking.kind === 'score') {
          for (const hit of hits) expect(ranking.score(hit)).toBe(plain(hit));
          return;
        }
        const tiers = ranking.tiers.map(found);
        expect(tiers.flat()).toHaveLength(hits.length);
        expect(new Set(tiers.flat())).toEqual(new Set(hits));
        const counts = tiers.flatMap((tier) => [...new Set(tier.map(plain))]);
        expect(counts).toEqual([...new Set(counts)].sort((a, b) => b - a));
      }),
      { numRuns: 300 },
    );
  });
});

describe('on MongoDB', () => {
  const recordsOfRetailer = 120;
  let mongo: Mongo;
  let client: MongoClient;

  beforeAll(async () => {
    mongo = await startMongo();
    client = await MongoClient.connect(mongo.uri);
  });

  afterAll(async () => {
    await client?.close();
    await mongo?.stop();
  });

  /** A collection with search documents, as a service stores them. */
  async function collectionOf(
    documents: ReturnType<typeof kept>['documents'],
  ): Promise<Collection<Document>> {
    const collection = client.db(testDatabase('search')).collection('records');
    for (const { key, name } of [...searchIndexes, ...singleValueIndexes(catalogue)])
      await collection.createIndex({ ...key }, { name });
    await collection.insertMany(
      documents.map(({ record: _, ...document }, arrival) => ({ retailer: 'demo', arrival, ...document })),
    );
    return collection;
  }

  test.each([
    ['receipts', catalogue, receipt],
    ['identifiers', identifierFields, identifier],
  ])(
    'finds the same %s with the filter and the tiers as with the evaluation',
    async (_name, fields, records) => {
      const { documents, words } = kept(fields, fc.sample(records, recordsOfRetailer));
      const collection = await collectionOf(documents);
      const found = async (filter: Filter) => {
        const hits = await collection
          .find({ retailer: 'demo', ...filter })
          .project({ arrival: 1 })
          .toArray();
        return hits.map(({ arrival }) => arrival as number).sort((a, b) => a - b);
      };
      await fc.assert(
        fc.asyncProperty(queries(fields), operators, async (text, operator) => {
          const query = parseQuery(text);
          const compiled = await compile(query, fields, { operator, words });
          const options = { operator, expansions: compiled.expansions };
          const expected = documents.flatMap(({ record }, arrival) =>
            evaluate(query, fields, record, options).matches ? [arrival] : [],
          );
          expect([text, await found(compiled.filter)]).toEqual([text, expected]);
          const ranking = rankingTiers(compiled);
          if (ranking.kind === 'score') return;
          const tiers: number[] = [];
          for (const tier of ranking.tiers) tiers.push(...(await found(tier)));
          expect([text, tiers.sort((a, b) => a - b)]).toEqual([text, expected]);
        }),
        { numRuns: 150 },
      );
    },
  );
});
