import { MongoBulkWriteError, MongoServerError } from 'mongodb';
import type { PacketDocument, PacketKeys } from './packet-document';
import { PacketInserts } from './packet-inserts';

const documentOf = (id: string, size = 1) => ({ _id: id, size, retailer: 'acme' }) as PacketDocument;
const timeLimit = { deadline: Infinity };
/** The packet whose event the broker does not confirm. */
const unconfirmed = 'u';
const stored = { isPublished: expect.any(Promise) as Promise<boolean> };

/** A collection that fails as configured, and that already contains these packets, or cannot be read. */
function world(
  fail: (ids: readonly string[]) => Error | undefined = () => undefined,
  earlier: readonly PacketKeys[] | Error = [],
) {
  const writes: string[][] = [];
  const collection = {
    insertMany: (documents: readonly PacketDocument[]) => {
      const ids = documents.map(({ _id }) => _id);
      writes.push(ids);
      const error = fail(ids);
      return error ? Promise.reject(error) : Promise.resolve({});
    },
    find: () => ({
      toArray: () => (earlier instanceof Error ? Promise.reject(earlier) : Promise.resolve(earlier)),
    }),
  };
  const published: string[][] = [];
  const publish = (documents: readonly PacketDocument[]) => {
    const ids = documents.map(({ _id }) => _id);
    published.push(ids);
    return Promise.resolve(ids.map((id) => id !== unconfirmed));
  };
  return { writes, published, inserts: new PacketInserts(collection as never, publish) };
}

function duplicate(index: number, name: string): MongoBulkWriteError {
  const writeError = { index, code: 11_000, errmsg: `E11000 duplicate key error index: ${name} dup key: {}` };
  return new MongoBulkWriteError({ message: 'no', writeErrors: [writeError] } as never, {} as never);
}

test('writes concurrent packets together, within limits', async () => {
  const { writes, inserts } = world();
  const documents = Array.from({ length: 300 }, (_, n) => documentOf(`${n}`));
  await Promise.all(documents.map((document) => inserts.insert(document, timeLimit)));
  expect(writes.map(({ length }) => length)).toEqual([256, 44]);
  const large = ['a', 'b', 'c'].map((id) => documentOf(id, 5 * 1024 * 1024));
  await Promise.all(large.map((document) => inserts.insert(document, timeLimit)));
  expect(writes.slice(2).map(({ length }) => length)).toEqual([1, 1, 1]);
});

test('returns to each caller the result of its own packet', async () => {
  const { inserts } = world(() => duplicate(1, '_id_'));
  const outcomes = ['a', 'b', 'c'].map((id) => inserts.insert(documentOf(id), timeLimit));
  expect(await Promise.all(outcomes)).toEqual([stored, 'again', stored]);
});

test('publishes the first events of packets that were written together with one call', async () => {
  const { published, inserts } = world((ids) => (ids.includes('b') ? duplicate(1, '_id_') : undefined));
  const isPublished = async (id: string) => {
    const outcome = await inserts.insert(documentOf(id), timeLimit);
    return outcome !== 'again' && 'isPublished' in outcome && outcome.isPublished;
  };
  expect(await Promise.all(['a', 'b', unconfirmed, 'c'].map(isPublished))).toEqual([
    true,
    false,
    false,
    true,
  ]);
  expect(published).toEqual([['a', unconfirmed, 'c']]);
});

test('returns the packet that has the key', async () => {
  const mine = { _id: 'x', retailer: 'acme', keys: ['k'] };
  const others = [
    { ...mine, retailer: 'other' },
    { ...mine, keys: ['l'] },
  ];
  const { inserts } = world(() => duplicate(0, 'once'), [...others, mine]);
  const document = { ...documentOf('a'), keys: ['k'] };
  expect(await inserts.insert(document, timeLimit)).toEqual({ taken: [mine] });
});

test('reports a packet that cannot be written, without affecting others', async () => {
  const { inserts } = world((ids) => (ids.includes('b') ? new Error('too large') : undefined));
  const outcomes = ['a', 'b', 'c'].map((id) => inserts.insert(documentOf(id), timeLimit));
  expect(await Promise.allSettled(outcomes)).toMatchObject([
    { value: stored },
    { reason: { message: 'too large' } },
    { value: stored },
  ]);
});

test('reports and publishes the stored packets even if those with a taken key cannot be read', async () => {
  const away = new Error('away');
  const { published, inserts } = world(() => duplicate(1, 'once'), away);
  const outcomes = ['a', 'b'].map((id) => inserts.insert(documentOf(id), timeLimit));
  expect(await Promise.allSettled(outcomes)).toMatchObject([{ value: stored }, { reason: away }]);
  expect(published).toEqual([['a']]);
});

test('rejects each packet once while the database is unavailable', async () => {
  const away = new MongoServerError({ message: 'not primary', code: 10_107 });
  const { writes, inserts } = world(() => away);
  const outcomes = ['a', 'b'].map((id) => inserts.insert(documentOf(id), timeLimit));
  expect(await Promise.allSettled(outcomes)).toMatchObject([{ reason: away }, { reason: away }]);
  expect(writes).toHaveLength(1);
});
