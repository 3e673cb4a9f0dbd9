import { serviceCall } from './call';
import { RecordCache } from './record-cache';

const call = serviceCall('test', Date.now(), 'demo');
const record = (version: number) => ({ id: 'a', version });

function cacheOf(...answers: (ReturnType<typeof record> | null)[]) {
  const asked: string[] = [];
  const cache = new RecordCache<ReturnType<typeof record>>((id) => {
    asked.push(id);
    return Promise.resolve(answers.shift() ?? null);
  });
  return { asked, cache };
}

test('requests a record once, and again after all have been cleared', async () => {
  const { asked, cache } = cacheOf(record(1), record(2));
  expect([await cache.find('a', call), await cache.find('a', call)]).toEqual([record(1), record(1)]);
  cache.clear();
  expect(await cache.find('a', call)).toEqual(record(2));
  expect(asked).toEqual(['a', 'a']);
});

test('does not keep the reply to a request from before all records were cleared', async () => {
  const { cache } = cacheOf(record(1), record(2));
  const before = cache.find('a', call);
  cache.clear();
  expect(await before).toEqual(record(1));
  expect(await cache.find('a', call)).toEqual(record(2));
});

test('requests a record again for a caller that has more time than the first', async () => {
  const cache = new RecordCache<ReturnType<typeof record>>((_id, { deadline }) =>
    deadline === 0 ? Promise.reject(new Error('no time is left')) : Promise.resolve(record(1)),
  );
  const [first, second] = [
    cache.find('a', { ...call, deadline: 0 }),
    cache.find('a', { ...call, deadline: Infinity }),
  ];
  await expect(first).rejects.toThrow('no time is left');
  expect(await second).toEqual(record(1));
});

test('keeps the newer of two versions, no matter which arrives first', async () => {
  const { asked, cache } = cacheOf();
  await cache.apply([{ data: record(2) }, { data: record(1) }]);
  expect(await cache.known('a', call)).toEqual(record(2));
  await cache.apply([{ data: record(3) }]);
  expect(await cache.known('a', call)).toEqual(record(3));
  expect(asked).toEqual([]);
});

test('returns undefined for an unknown record, or 503 if it must exist, and requests it again', async () => {
  const { cache } = cacheOf(null, null, record(1));
  expect(await cache.known('a', call)).toBeUndefined();
  await expect(cache.find('a', call)).rejects.toMatchObject({ status: 503 });
  expect(await cache.find('a', call)).toEqual(record(1));
});
