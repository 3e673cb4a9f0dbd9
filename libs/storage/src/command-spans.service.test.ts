import { silentLog, startMongo, testDatabase, type Mongo } from '@receipts/testing';
import type { Span, SpanFacts, Tracing } from '@receipts/kernel';
import { connectDatabase, type Database } from './connect-database';

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** Records spans for assertions. */
class RecordedTracing implements Tracing {
  readonly spans: (SpanFacts & { readonly name: string; ended?: boolean; errorType?: string | undefined })[] =
    [];
  running: string | undefined;

  start(name: string, facts: SpanFacts): Span {
    const kept = { ...facts, name };
    this.spans.push(kept);
    return {
      traceId: '',
      traceparent: '',
      isRecorded: true,
      rename: () => {},
      set: () => {},
      link: () => {},
      end: (errorType) => void Object.assign(kept, { ended: true, errorType }),
    };
  }

  run<T>(_span: Span, work: () => T): T {
    return work();
  }

  current(): string | undefined {
    return this.running;
  }
}

describe('spans of database commands', () => {
  const tracing = new RecordedTracing();
  const databaseName = testDatabase();
  let mongo: Mongo;
  let database: Database;

  beforeAll(async () => {
    mongo = await startMongo();
    database = await connectDatabase({
      uri: mongo.uri,
      database: databaseName,
      service: 'test',
      log: silentLog,
      tracing,
    });
  });
  afterAll(async () => {
    await database?.close();
    await mongo?.stop();
  });
  beforeEach(() => {
    tracing.spans.length = 0;
    tracing.running = parent;
  });

  test('name the command and its collection, and contain no stored data', async () => {
    await database.db.collection('things').insertMany([{ name: 'a secret' }, { name: 'another' }]);
    await database.db.collection('things').findOne({ name: 'a secret' });
    const attributes = {
      'db.system.name': 'mongodb',
      'db.namespace': databaseName,
      'db.collection.name': 'things',
      'server.address': '127.0.0.1',
    };
    expect(tracing.spans).toMatchObject([
      {
        name: 'insert things',
        kind: 'client',
        parent,
        ended: true,
        errorType: undefined,
        attributes: { ...attributes, 'db.operation.name': 'insert', 'db.operation.batch.size': 2 },
      },
      { name: 'find things', attributes: { ...attributes, 'db.operation.name': 'find' } },
    ]);
    expect(JSON.stringify(tracing.spans)).not.toContain('a secret');
  });

  test('record that a command has failed', async () => {
    await expect(database.db.command({ nonsense: 'things' })).rejects.toThrow();
    expect(tracing.spans).toMatchObject([
      { name: 'nonsense things', ended: true, errorType: 'MongoServerError' },
    ]);
  });

  test('are not started outside of traced work', async () => {
    tracing.running = undefined;
    await database.db.collection('things').findOne({});
    expect(tracing.spans).toEqual([]);
  });
});
