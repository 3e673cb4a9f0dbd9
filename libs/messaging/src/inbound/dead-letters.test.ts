import { newId } from '@receipts/kernel';
import { BrokerDeadLetters } from './dead-letters';

/**
 * A queue that shows returned messages only when it is checked for the second time, on a broker that never removes the
 * exclusive queues of closed connections.
 */
function slowQueue(ids: readonly string[]) {
  const ready = [...ids];
  const held: string[] = [];
  let returned: string[] | undefined;
  let checks = 0;
  const locks = new Set<string>();
  const channel = {
    assertQueue(name: string) {
      if (locks.has(name)) return Promise.reject(Object.assign(new Error('locked'), { code: 405 }));
      locks.add(name);
      return Promise.resolve();
    },
    deleteQueue: (name: string) => Promise.resolve(locks.delete(name)),
    checkQueue() {
      if (returned && ++checks === 2) {
        ready.push(...returned);
        returned = undefined;
      }
      return Promise.resolve({ messageCount: ready.length });
    },
    get() {
      const messageId = ready.shift();
      if (messageId !== undefined) held.push(messageId);
      return Promise.resolve(
        messageId !== undefined && { content: Buffer.from('{}'), properties: { messageId } },
      );
    },
    nackAll() {
      returned = held.splice(0);
    },
  };
  const connection = { withChannel: (work: (opened: typeof channel) => unknown) => work(channel) };
  const deadLetters = new BrokerDeadLetters(
    { names: { queue: (name: string) => name }, now: Date.now } as never,
    undefined as never,
    ((work: (opened: typeof connection) => unknown) => work(connection)) as never,
  );
  return { ready, deadLetters };
}

test('a message that was shown is in the queue again, even if others are still there', async () => {
  const ids = [newId(), newId(), newId()];
  const { ready, deadLetters } = slowQueue(ids);
  expect(await deadLetters.show('q', ids[0] ?? '')).toMatchObject({ id: ids[0] });
  expect([...ready].sort()).toEqual([...ids].sort());
});

test('the next operation does not wait until the broker has noticed that the connection was closed', async () => {
  const id = newId();
  const { deadLetters } = slowQueue([id]);
  for (let n = 0; n < 2; n++) expect(await deadLetters.list('q')).toMatchObject([{ id }]);
});
