import { newId } from '@receipts/kernel';
import { connectDatabase, type Database } from '@receipts/storage';
import { type Mongo, startMongo, testDatabase, until, silentLog } from '@receipts/testing';
import { callOf, startWorld } from '../testing/world';

let mongo: Mongo;
let database: Database;
const databaseName = testDatabase('identifier');
const retailer = `r-${newId()}`;
const count = 450;

beforeAll(async () => {
  mongo = await startMongo();
  database = await connectDatabase({
    uri: mongo.uri,
    database: databaseName,
    service: 'test',
    log: silentLog,
  });
}, 60_000);
afterAll(async () => {
  await database.close();
  await mongo.stop();
});

/** As the version before the search has written it. */
function oldDocument(n: number) {
  const at = new Date(Date.UTC(2026, 0, 1, 0, 0, n));
  return {
    ...{ _id: newId(at.getTime()), retailer, identifier: `old-${n}`, version: 1, origin: newId() },
    ...{ createdAt: at, updatedAt: at, sourceUpdatedAt: null },
    properties: JSON.stringify({
      city: n % 2 === 0 ? 'Paris' : 'Lyon',
      name: { first: n === 17 ? 'Wilhelmina' : 'Jane' },
    }),
    outbox: [],
  };
}

it('identifiers that were made before there was a search are found by it, the latest first', async () => {
  const identifiers = database.db.collection<{ _id: string }>('identifiers');
  await identifiers.insertMany(Array.from({ length: count }, (_, n) => oldDocument(n)));
  const search = async (query: string) => {
    const world = await startWorld(mongo.uri, databaseName);
    try {
      await until('all are taken over', async () => {
        const left = await identifiers.countDocuments({ search: { $exists: false } });
        return left === 0;
      });
      const answer = await world.ask(
        'searchIdentifiers',
        { query: { query, count: 20, offset: 0 } } as never,
        callOf(retailer),
      );
      const { hits, identifiers: found } = answer.body as {
        hits: number;
        identifiers: { identifier: string }[];
      };
      return [hits, found.map(({ identifier }) => identifier)] as const;
    } finally {
      await world.close();
    }
  };
  const [hits, found] = await search('properties.city:Paris');
  expect(hits).toBe(count / 2);
  expect(found.slice(0, 2)).toEqual([`old-${count - 2}`, `old-${count - 4}`]);
  // Words were learned as well: a similar one is enough.
  expect(await search('properties.name.first:Wilhelmena~')).toEqual([1, ['old-17']]);
});
