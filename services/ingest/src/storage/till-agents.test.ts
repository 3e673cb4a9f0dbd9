import { silentLog } from '@receipts/testing';
import { TillAgents } from './till-agents';

/** A collection that fails when it is told to, and counts its writes. */
function fakeCollection() {
  const writes: number[] = [];
  let failure: Error | undefined;
  const bulkWrite = (operations: readonly unknown[]) => {
    writes.push(operations.length);
    return failure ? Promise.reject(failure) : Promise.resolve();
  };
  return { writes, fail: (error?: Error) => (failure = error), collection: { bulkWrite } as never };
}

const name = (till: string) => ({ store: '1', till });

test('writes many requests at once, one document for each till', async () => {
  const { writes, collection } = fakeCollection();
  const agents = new TillAgents(collection, silentLog);
  for (let n = 0; n < 1_000; n++) agents.note('r', name(`${n % 2}`), { waiting: n }, n);
  expect(writes).toEqual([]);
  await agents.save();
  await agents.save();
  expect(writes).toEqual([2]);
  await agents.stop();
});

test('writes again what could not be written', async () => {
  const { writes, fail, collection } = fakeCollection();
  const agents = new TillAgents(collection, silentLog);
  agents.note('r', name('a'), {}, 1);
  fail(new Error('away'));
  await expect(agents.save()).rejects.toThrow('away');
  agents.note('r', name('b'), {}, 1);
  fail();
  await agents.save();
  expect(writes).toEqual([1, 2]);
  await agents.stop();
});

test('drops what another process has already written newer', async () => {
  const { writes, fail, collection } = fakeCollection();
  const agents = new TillAgents(collection, silentLog);
  agents.note('r', name('a'), {}, 1);
  fail(Object.assign(new Error('duplicate'), { writeErrors: [{ code: 11_000 }] }));
  await agents.save();
  fail();
  await agents.stop();
  expect(writes).toEqual([1]);
});
