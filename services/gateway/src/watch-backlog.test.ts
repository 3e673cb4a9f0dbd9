import { silentLog } from '@receipts/testing';
import { platformContracts } from './platform';
import { confirmingOwners, watchBacklog } from './watch-backlog';

const log = { ...silentLog, warn: jest.fn() };

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('measures the queues of confirmed commands', () => {
  expect(confirmingOwners(platformContracts)).toEqual(['ingest']);
});

test('adds up the queues of the services that a packet passes through', async () => {
  const note = jest.fn();
  const depth = (queues: readonly string[]) =>
    Promise.resolve(queues.map((queue, n) => ({ queue, messages: 10 ** n, consumers: 1 })));
  const watch = watchBacklog({ backlog: { note }, broker: { depth }, owners: ['ingest', 'admin'], log });
  watch.start();
  await jest.advanceTimersByTimeAsync(5_000);
  expect(note.mock.calls).toEqual([
    ['ingest', 111],
    ['admin', 1_000],
  ]);
  await watch.stop();
});

test('updates the backlog every five seconds, even after a failure', async () => {
  const note = jest.fn();
  const depth = jest.fn((queues: readonly string[]) =>
    Promise.resolve(queues.map((queue) => ({ queue, messages: 7, consumers: 0 }))),
  );
  const watch = watchBacklog({ backlog: { note }, broker: { depth }, owners: ['ingest'], log });
  watch.start();
  await jest.advanceTimersByTimeAsync(5_000);
  expect(note.mock.calls).toEqual([['ingest', 21]]);
  depth.mockRejectedValueOnce(new Error('the broker is unavailable'));
  await jest.advanceTimersByTimeAsync(5_000);
  expect(log.warn).toHaveBeenCalledTimes(1);
  await jest.advanceTimersByTimeAsync(5_000);
  expect(note).toHaveBeenCalledTimes(2);
  await watch.stop();
  await jest.advanceTimersByTimeAsync(60_000);
  expect(note).toHaveBeenCalledTimes(2);
});
