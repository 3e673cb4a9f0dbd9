import { startMongo, testDatabase, type Mongo } from '@receipts/testing';
import { connectDatabase, type Database } from './connect-database';
import type { CollectionDeclaration } from './collection';

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly fields: Readonly<Record<string, unknown>> | undefined;
}

function logInto(lines: Line[]) {
  const at = (level: string) => (msg: string, fields?: Readonly<Record<string, unknown>>) =>
    void lines.push({ level, msg, fields });
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

describe('a store', () => {
  let mongo: Mongo;
  let database: Database;
  let lines: Line[];
  const databaseName = testDatabase();

  const connect = () => {
    lines = [];
    return connectDatabase({ uri: mongo.uri, database: databaseName, service: 'test', log: logInto(lines) });
  };
  beforeAll(async () => {
    mongo = await startMongo();
  });
  afterAll(() => mongo.stop());
  beforeEach(async () => {
    database = await connect();
  });
  afterEach(() => database.close());

  const things: CollectionDeclaration = {
    name: 'things',
    indexes: [
      {
        name: 'by_number',
        key: { retailer: 1, number: -1 },
        unique: true,
        partial: { number: { $exists: true } },
      },
      { name: 'expiry', key: { at: 1 }, expireAfterSeconds: 60 },
    ],
  };

  test('responds to a ping', async () => {
    await expect(database.ping()).resolves.toBeUndefined();
  });

  test('creates declared indexes once', async () => {
    const collection = await database.collection<{ retailer: string; number?: number }>(things);
    expect(lines.map(({ msg }) => msg)).toEqual(['created indexes']);
    await database.collection(things);
    expect(lines).toHaveLength(1);

    await collection.insertMany([{ retailer: 'a' }, { retailer: 'a' }, { retailer: 'a', number: 1 }]);
    await expect(collection.insertOne({ retailer: 'a', number: 1 })).rejects.toMatchObject({ code: 11_000 });
  });

  test('reports indexes that differ or are undeclared, and leaves them unchanged', async () => {
    await database.collection(things);
    lines.length = 0;
    await database.collection({
      name: 'things',
      indexes: [{ name: 'by_number', key: { retailer: 1, number: 1 }, unique: true }],
    });
    expect(lines).toMatchObject([
      { level: 'error', fields: { index: 'by_number', drift: ['key', 'partial'] } },
      { level: 'warn', fields: { undeclared: ['expiry'] } },
    ]);
  });

  test('does not start if an index that must be unique is not unique', async () => {
    await database.collection({ name: 'loose', indexes: [{ name: 'by_number', key: { number: 1 } }] });
    const strict = database.collection({
      name: 'loose',
      indexes: [{ name: 'by_number', key: { number: 1 }, unique: true }],
    });
    await expect(strict).rejects.toThrow('exists but is not unique');
  });
});

test('fails after the given time if the database cannot be reached', async () => {
  const lines: Line[] = [];
  const begun = Date.now();
  const connecting = connectDatabase({
    uri: 'mongodb://127.0.0.1:9/?directConnection=true',
    database: 'nowhere',
    service: 'test',
    log: logInto(lines),
    connectTimeoutMs: 100,
  });
  await expect(connecting).rejects.toThrow();
  expect(Date.now() - begun).toBeLessThan(30_000);
});
