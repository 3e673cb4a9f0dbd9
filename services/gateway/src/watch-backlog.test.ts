import { platformContracts } from './platform';
import { confirmingOwners, watchBacklog } from './watch-backlog';

const log = { info: () => undefined, warn: jest.fn(), error: () => undefined };

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('raw receipts are what is only confirmed', () => {
  expect(confirmingOwners(platformContracts)).toEqual(['ingest']);
});

test('every five seconds the gateway learns what waits, also after a look that failed', async () => {
  const note = jest.fn();
  const depth = jest.fn((queues: readonly string[]) =>
    Promise.resolve(queues.map((queue) => ({ queue, messages: 7, consumers: 0 }))),
  );
  const watch = watchBacklog({ backlog: { note }, broker: { depth }, owners: ['ingest'], log });
  await jest.advanceTimersByTimeAsync(5_000);
  expect(note.mock.calls).toEqual([['ingest', 7]]);
  depth.mockRejectedValueOnce(new Error('the broker is away'));
  await jest.advanceTimersByTimeAsync(5_000);
  expect(log.warn).toHaveBeenCalledTimes(1);
  await jest.advanceTimersByTimeAsync(5_000);
  expect(note).toHaveBeenCalledTimes(2);
  watch.stop();
  await jest.advanceTimersByTimeAsync(60_000);
  expect(note).toHaveBeenCalledTimes(2);
});
