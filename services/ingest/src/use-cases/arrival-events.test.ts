import type { SerializedEvent } from '@receipts/kernel';
import { until } from '@receipts/testing';
import { ArrivalEvents } from './arrival-events';

const eventOf = (id: string) => ({ id }) as SerializedEvent;

/** A broker that confirms a batch when the test says which of its events it has. */
function world() {
  const batches: { readonly ids: string[]; readonly confirm: (has: readonly boolean[]) => void }[] = [];
  const arrivals = new ArrivalEvents(
    (events) => new Promise((confirm) => void batches.push({ ids: events.map(({ id }) => id), confirm })),
  );
  const begun = (count: number) => until(`batch ${count}`, () => batches.length >= count);
  return { arrivals, batches, begun };
}

test('publishes a single event at once, and those that come while it is published together', async () => {
  const { arrivals, batches, begun } = world();
  const first = arrivals.publish(eventOf('a'));
  await begun(1);
  const others = ['b', 'c'].map((id) => arrivals.publish(eventOf(id)));
  batches[0]?.confirm([true]);
  expect(await first).toBe(true);
  await begun(2);
  expect(batches.map(({ ids }) => ids)).toEqual([['a'], ['b', 'c']]);
  batches[1]?.confirm([true, true]);
  expect(await Promise.all(others)).toEqual([true, true]);
});

test('reports each event that is not confirmed', async () => {
  const { arrivals, batches, begun } = world();
  const published = ['a', 'b', 'c'].map((id) => arrivals.publish(eventOf(id)));
  await begun(1);
  batches[0]?.confirm([true, false]);
  expect(await Promise.all(published)).toEqual([true, false, false]);
});

test('limits a batch', async () => {
  const { arrivals, batches, begun } = world();
  for (let n = 0; n < 300; n++) void arrivals.publish(eventOf(`${n}`));
  await begun(1);
  batches[0]?.confirm([]);
  await begun(2);
  expect(batches.map(({ ids }) => ids.length)).toEqual([256, 44]);
});
