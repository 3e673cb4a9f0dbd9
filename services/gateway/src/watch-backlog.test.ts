import { packetPath } from '@receipts/contracts';
import type { Contract } from '@receipts/kernel';
import { silentLog } from '@receipts/testing';
import { platformContracts } from './platform';
import { watchBacklog } from './watch-backlog';

const log = { ...silentLog, warn: jest.fn() };

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('concerns the commands that the gateway confirms: each begins the path of a packet', () => {
  const contracts = platformContracts.flatMap((owned): readonly Contract[] => Object.values(owned));
  const oneWay = contracts.filter((contract) => contract.http && contract.oneWay);
  expect(oneWay.map(({ owner }) => owner)).toEqual([packetPath[0]]);
});

test('adds up the queues of the services that a packet passes through', async () => {
  const note = jest.fn();
  const depth = jest.fn((queues: readonly string[]) =>
    Promise.resolve(queues.map((queue, n) => ({ queue, messages: 10 ** n, consumers: 1 }))),
  );
  const watch = watchBacklog({ backlog: { note }, broker: { depth }, log });
  watch.start();
  await jest.advanceTimersByTimeAsync(5_000);
  expect(depth).toHaveBeenCalledWith(['ingest.commands', 'transform.commands', 'receipt-store.commands']);
  expect(note.mock.calls).toEqual([[111]]);
  await watch.stop();
});

test('updates the backlog every five seconds, even after a failure', async () => {
  const note = jest.fn();
  const depth = jest.fn((queues: readonly string[]) =>
    Promise.resolve(queues.map((queue) => ({ queue, messages: 7, consumers: 0 }))),
  );
  const watch = watchBacklog({ backlog: { note }, broker: { depth }, log });
  watch.start();
  await jest.advanceTimersByTimeAsync(5_000);
  expect(note.mock.calls).toEqual([[21]]);
  depth.mockRejectedValueOnce(new Error('the broker is unavailable'));
  await jest.advanceTimersByTimeAsync(5_000);
  expect(log.warn).toHaveBeenCalledTimes(1);
  await jest.advanceTimersByTimeAsync(5_000);
  expect(note).toHaveBeenCalledTimes(2);
  await watch.stop();
  await jest.advanceTimersByTimeAsync(60_000);
  expect(note).toHaveBeenCalledTimes(2);
});
