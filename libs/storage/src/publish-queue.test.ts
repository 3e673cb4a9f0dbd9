import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SerializedEvent } from '@receipts/kernel';
import { silentLog } from '@receipts/testing';
import fc from 'fast-check';
import { PublishQueue, type PublishQueueOptions } from './publish-queue';

const eventOf = (id: string, type = 'thing.changed'): SerializedEvent => ({
  id,
  type,
  retailer: 'r',
  correlationId: 'c',
  at: 0,
  isInternal: false,
  text: '{}',
});

/** A queue whose values are lists of event ids, like the outbox of a document. */
function queueOf(options: Partial<PublishQueueOptions<readonly string[]>> = {}) {
  const published = new Set<string>();
  const confirmed: string[] = [];
  const queue = new PublishQueue<readonly string[]>({
    name: 'things',
    publish: (events) => Promise.resolve(events.map(() => true)),
    eventsOf: (ids) => ids.filter((id) => !published.has(id)).map((id) => eventOf(id)),
    merge: (waiting, added) => [...new Set([...waiting, ...added])],
    onPublished: (_ids, events) => {
      for (const { id } of events) {
        confirmed.push(id);
        published.add(id);
      }
    },
    log: silentLog,
    ...options,
  });
  return { queue, confirmed };
}

test('confirms the events of a key in order and once, regardless of what the broker rejects', async () => {
  const step = fc.record({ key: fc.integer({ min: 0, max: 3 }), turns: fc.integer({ min: 0, max: 2 }) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }),
      async (steps, answers) => {
        let isRefusing = true;
        let asked = 0;
        const { queue, confirmed } = queueOf({
          publish: async (events) => {
            await nextTurn();
            return events.map(() => !isRefusing || answers[asked++ % answers.length] === true);
          },
        });
        const all = new Map<string, string[]>();
        for (const { key: n, turns } of steps) {
          const key = `k${n}`;
          const ids = [...(all.get(key) ?? []), `${key} ${all.get(key)?.length ?? 0}`];
          all.set(key, ids);
          queue.add(key, ids, 1);
          queue.start();
          for (let turn = 0; turn < turns; turn++) await nextTurn();
        }
        await queue.flush();
        isRefusing = false;
        for (const [key, ids] of all) queue.add(key, ids, 1);
        await queue.flush();
        for (const [key, ids] of all) expect(confirmed.filter((id) => id.startsWith(`${key} `))).toEqual(ids);
        expect(queue.size).toBe(0);
      },
    ),
  );
});

test('publishes events of one type next to each other, and those of a value in order', async () => {
  const published: string[][] = [];
  const { queue } = queueOf({
    publish: (events) => {
      published.push(events.map(({ id }) => id));
      return Promise.resolve(events.map(() => true));
    },
    // The type is the first letter.
    eventsOf: (ids) => ids.map((id) => eventOf(id, id.charAt(0))),
  });
  queue.add('first', ['a1', 'b1', 'c1'], 1);
  queue.add('second', ['b2', 'a2'], 1);
  queue.add('third', ['a3', 'b3'], 1);
  await queue.flush();
  expect(published).toEqual([['a1', 'a3', 'b2', 'b1', 'b3', 'a2', 'c1']]);
});

test('counts the events of a value up to the first that the broker has not confirmed', async () => {
  const outcomes: unknown[] = [];
  const { queue } = queueOf({
    publish: (events) => Promise.resolve(events.map(({ id }) => id !== 'b1')),
    onPublished: (_ids, events, isComplete) => outcomes.push([events.map(({ id }) => id), isComplete]),
  });
  queue.add('first', ['a1', 'b1', 'c1'], 1);
  queue.add('second', ['a2', 'b2'], 1);
  await queue.flush();
  expect(outcomes).toEqual([
    [['a1'], false],
    [['a2', 'b2'], true],
  ]);
});

test('skips a value whose events cannot be created, without affecting the others', async () => {
  const { queue, confirmed } = queueOf({
    eventsOf: ([id = '']) => {
      if (id === 'bad') throw new Error('no such form');
      return [eventOf(id)];
    },
  });
  for (const id of ['one', 'bad', 'two']) queue.add(id, [id], 1);
  await queue.flush();
  expect(confirmed).toEqual(['one', 'two']);
});

test('rejects and counts values that exceed the memory limit, and accepts new values afterwards', async () => {
  const { queue, confirmed } = queueOf();
  queue.add('large', ['large'], 64 * 1024 * 1024);
  queue.add('small', ['small'], 1);
  expect([queue.size, queue.takeRefusedCount(), queue.takeRefusedCount()]).toEqual([1, 1, 0]);
  await queue.flush();
  queue.add('small', ['small'], 1);
  await queue.flush();
  expect(confirmed).toEqual(['large', 'small']);
});
