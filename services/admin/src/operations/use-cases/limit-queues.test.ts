import { limitQueues } from './limit-queues';

const log = { debug: () => undefined, info: () => undefined, warn: jest.fn(), error: () => undefined };
const listeners = new Set<() => void>();
const onConnected = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('queues are bounded at the start, until it is done, and after each connect', async () => {
  const boundCommands = jest
    .fn<Promise<void>, []>()
    .mockRejectedValueOnce(new Error('away'))
    .mockResolvedValue();
  const bounding = limitQueues({ boundCommands, onConnected, log });
  await jest.advanceTimersByTimeAsync(60_000);
  expect(boundCommands).toHaveBeenCalledTimes(2);
  expect(log.warn).toHaveBeenCalledTimes(1);
  for (const listener of listeners) listener();
  await jest.advanceTimersByTimeAsync(60_000);
  expect(boundCommands).toHaveBeenCalledTimes(3);
  boundCommands.mockRejectedValue(new Error('away'));
  for (const listener of listeners) listener();
  await jest.advanceTimersByTimeAsync(1_000);
  bounding.stop();
  await jest.advanceTimersByTimeAsync(60_000);
  expect(boundCommands).toHaveBeenCalledTimes(4);
  expect(listeners.size).toBe(0);
});

test('where the management interface is not known that is said, and nothing is done', () => {
  log.warn.mockClear();
  limitQueues({ boundCommands: undefined, onConnected, log }).stop();
  expect(log.warn.mock.calls.join()).toContain('BROKER_MANAGEMENT_URL');
  expect(listeners.size).toBe(0);
});
