import { silentLog } from '@receipts/testing';
import { limitQueues } from './limit-queues';

const log = { ...silentLog, warn: jest.fn() };
beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('limits queues on startup, with retries, and after each reconnect', async () => {
  const boundCommands = jest
    .fn<Promise<void>, []>()
    .mockRejectedValueOnce(new Error('away'))
    .mockResolvedValue();
  const bounding = limitQueues({ boundCommands, log });
  bounding.start?.();
  await jest.advanceTimersByTimeAsync(60_000);
  expect(boundCommands).toHaveBeenCalledTimes(2);
  expect(log.warn).toHaveBeenCalledTimes(1);
  bounding.reconnected?.();
  await jest.advanceTimersByTimeAsync(60_000);
  expect(boundCommands).toHaveBeenCalledTimes(3);
  boundCommands.mockRejectedValue(new Error('away'));
  bounding.reconnected?.();
  await jest.advanceTimersByTimeAsync(1_000);
  void bounding.stop();
  await jest.advanceTimersByTimeAsync(60_000);
  expect(boundCommands).toHaveBeenCalledTimes(4);
});

test('logs a warning and does nothing if there is no management interface', () => {
  log.warn.mockClear();
  limitQueues({ boundCommands: undefined, log }).stop();
  expect(log.warn.mock.calls.join()).toContain('BROKER_MANAGEMENT_URL');
});
