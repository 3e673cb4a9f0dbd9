import { MongoNetworkError, MongoServerError, type Collection } from 'mongodb';
import { newId } from '@receipts/kernel';
import {
  compile,
  identifierFields,
  parseQuery,
  searchDocument,
  searchIndexes,
  type CompiledQuery,
  type Score,
} from '@receipts/search-language';
import { withStorageErrors, type Database } from '@receipts/storage';
import { startDatabase, countTurns } from '@receipts/testing';
import { RankedSearch } from './ranked-search';

interface Person {
  readonly _id: string;
  readonly retailer: string;
  readonly arrival: number;
  readonly search: ReturnType<typeof searchDocument>;
}

const retailer = newId();
const personCount = 60;

let database: Database;
let collection: Collection<Person>;
let search: RankedSearch<Person, Pick<Person, '_id' | 'arrival'>>;

/** Every second person is named Smith, every third one lives in Rome. */
function person(arrival: number, owner: string): Person {
  const properties = {
    name: { last: arrival % 2 === 0 ? 'Smith' : 'Miller' },
    city: arrival % 3 === 0 ? 'Rome' : 'Bonn',
  };
  const record = searchDocument(identifierFields, { identifier: `p${arrival}`, properties });
  return { _id: newId(), retailer: owner, arrival, search: record };
}

beforeAll(async () => {
  database = await startDatabase();
  const order = { name: 'order', key: { retailer: 1, arrival: -1 } } as const;
  collection = await database.collection<Person>({ name: 'people', indexes: [...searchIndexes, order] });
  for (const owner of [retailer, newId()]) {
    await collection.insertMany(Array.from({ length: personCount }, (_, n) => person(n + 1, owner)));
  }
  search = new RankedSearch(collection, { projection: { arrival: 1 }, tested: [], order: 'order' });
});

afterAll(() => database.close());

afterEach(() => jest.restoreAllMocks());

const scope = { retailer };
const compiled = (text: string): Promise<CompiledQuery> =>
  compile(parseQuery(text), identifierFields, { words: (_code, word) => Promise.resolve([word]) });
const timeLimit = () => ({ deadline: Date.now() + 60_000 });
const find = async (text: string, page = { offset: 0, count: 5 }) => {
  const { hits, relation, records } = await search.find(scope, await compiled(text), page, timeLimit());
  return { hits, relation, arrivals: records.map(({ arrival }) => arrival) };
};

test('ranks hits by the number of matching conditions, then newest first', async () => {
  const text = 'properties.name.last:smith properties.city:rome';
  expect(await find(text)).toEqual({ hits: 40, relation: 'eq', arrivals: [60, 54, 48, 42, 36] });
  expect(await find(text, { offset: 8, count: 5 })).toMatchObject({ arrivals: [12, 6, 58, 57, 56] });
  expect(await find(text, { offset: 40, count: 5 })).toEqual({ hits: 40, relation: 'eq', arrivals: [] });
});

test('counts records that do not match any condition', async () => {
  expect(await find('-properties.city:rome')).toEqual({
    hits: 40,
    relation: 'eq',
    arrivals: [59, 58, 56, 55, 53],
  });
});

describe('when counting takes too long', () => {
  const slow = () => new MongoServerError({ code: 50, message: 'operation exceeded time limit' });

  beforeEach(() => jest.spyOn(collection, 'countDocuments').mockRejectedValue(slow()));

  test('sets hits to one more than offset plus page size while there are more', async () => {
    expect(await find('properties.city:rome', { offset: 3, count: 5 })).toEqual({
      hits: 9,
      relation: 'at_least',
      arrivals: [51, 48, 45, 42, 39],
    });
  });

  test('returns all hits to a client that continues while there are more', async () => {
    const seen: number[] = [];
    let hits = 1;
    for (let offset = 0; offset < hits; offset += 5) {
      const page = await find('properties.city:rome', { offset, count: 5 });
      seen.push(...page.arrivals);
      ({ hits } = page);
    }
    expect(seen).toEqual(Array.from({ length: 20 }, (_, i) => 60 - 3 * i));
    expect(hits).toBe(20);
  });

  test('returns the exact number on the last page', async () => {
    const last = { hits: 20, relation: 'eq', arrivals: [6, 3] };
    expect(await find('properties.city:rome', { offset: 18, count: 5 })).toEqual(last);
    expect(await find('properties.city:paris')).toEqual({ hits: 0, relation: 'eq', arrivals: [] });
  });

  test('returns the newest hits if ranking also takes too long', async () => {
    jest.spyOn(search, 'page').mockRejectedValue(slow());
    const text = 'properties.name.last:smith properties.city:rome';
    expect(await find(text)).toEqual({ hits: 6, relation: 'at_least', arrivals: [60, 58, 57, 56, 54] });
  });

  test('returns the hits found in time if reading the newest also takes too long', async () => {
    jest.spyOn(search, 'page').mockRejectedValue(slow());
    const real = collection.find.bind(collection);
    jest.spyOn(collection, 'find').mockImplementation(((...args: Parameters<typeof real>) => {
      const cursor = real(...args);
      const next = cursor[Symbol.asyncIterator].bind(cursor);
      cursor[Symbol.asyncIterator] = async function* () {
        for await (const record of { [Symbol.asyncIterator]: next }) {
          yield record;
          throw slow();
        }
      };
      return cursor;
    }) as typeof collection.find);
    expect(await find('properties.city:rome')).toEqual({ hits: 1, relation: 'at_least', arrivals: [60] });
  });
});

test('fails if the database cannot be used', async () => {
  const failure = new MongoNetworkError('connection closed');
  jest.spyOn(collection, 'countDocuments').mockRejectedValue(failure);
  await expect(find('properties.city:rome')).rejects.toBe(failure);
});

test('becomes a 503 if a search has no time left', async () => {
  const late = search.find(
    scope,
    await compiled('properties.city:rome'),
    { offset: 0, count: 5 },
    { deadline: Date.now() },
  );
  await expect(withStorageErrors(() => late)).rejects.toMatchObject({ status: 503 });
});

describe('ranking by many clauses', () => {
  const page = (score: Score, deadline: number) =>
    search.page(scope, { kind: 'score', score }, {}, { offset: 0, count: 3 }, { deadline });

  test('yields between two hits', async () => {
    const turns = countTurns();
    const seen: number[] = [];
    const scoreSlowly = () => {
      for (const end = performance.now() + 6; performance.now() < end;);
      return seen.push(turns());
    };
    await page((_search) => (seen.length < 20 ? scoreSlowly() : 0), Date.now() + 10_000);
    expect(seen.at(-1)! - seen[0]!).toBeGreaterThanOrEqual(seen.length - 1);
  });

  test('ends when the search runs out of time', async () => {
    const deadline = Date.now() + 10_000;
    let scored = 0;
    const score: Score = (_search, onClause) => {
      if (++scored === 5) jest.spyOn(Date, 'now').mockReturnValue(deadline);
      onClause?.();
      return 1;
    };
    await expect(page(score, deadline)).rejects.toMatchObject({
      status: 503,
      code: 'unavailable',
      headers: { 'retry-after': '1' },
    });
    expect(scored).toBe(5);
  });
});
