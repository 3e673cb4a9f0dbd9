import { followCopies } from './follow-copies';

test('gives all copies of a process one queue of its own, and runs them together', () => {
  const steps: string[] = [];
  const copies = ['shops', 'tills'].map((name) => ({
    events: { contracts: [], handle: async () => {} },
    start: () => void steps.push(`start ${name}`),
    refresh: () => void steps.push(`refresh ${name}`),
    stop: () => void steps.push(`stop ${name}`),
  }));
  const followed = followCopies('till', copies);
  expect(followed.queue).toEqual({
    queue: 'till.copies',
    subscriptions: copies.map(({ events }) => events),
    exclusive: true,
  });
  followed.start();
  followed.refresh();
  followed.stop();
  expect(steps).toEqual([
    'start shops',
    'start tills',
    'refresh shops',
    'refresh tills',
    'stop shops',
    'stop tills',
  ]);
});
