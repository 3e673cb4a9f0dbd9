import { PeriodicTask } from './periodic-task';

const everyMs = 1_000;
let said: string[];
const log = { warn: (message: string) => void said.push(message) };

beforeEach(() => {
  said = [];
  jest.useFakeTimers();
});
afterEach(() => jest.useRealTimers());

/** A task whose runs end when the test ends them. */
function heldTask() {
  const runs: { succeed(result: number): void; fail(): void }[] = [];
  const run = () =>
    new Promise<number>((succeed, reject) => {
      runs.push({ succeed, fail: () => reject(new Error('away')) });
    });
  const task = new PeriodicTask({ everyMs, run, log, failure: 'it failed' });
  task.start();
  return { runs, task };
}

test('runs at regular intervals once it is started, even after a failure, until it is stopped', async () => {
  const run = jest.fn().mockResolvedValue(undefined).mockRejectedValueOnce(new Error('away'));
  const task = new PeriodicTask({ everyMs, run, log, failure: 'it failed' });
  expect(jest.getTimerCount()).toBe(0);
  task.start();
  expect(run).toHaveBeenCalledTimes(0);
  await jest.advanceTimersByTimeAsync(3 * everyMs);
  expect(run).toHaveBeenCalledTimes(3);
  expect(said).toEqual(['it failed']);
  await task.stop();
  await jest.advanceTimersByTimeAsync(3 * everyMs);
  expect(run).toHaveBeenCalledTimes(3);
});

test('runs once at a time, and logs a failed run once', async () => {
  const { runs, task } = heldTask();
  await jest.advanceTimersByTimeAsync(3 * everyMs);
  await task.attempt();
  expect(runs).toHaveLength(1);
  runs[0]?.fail();
  await jest.advanceTimersByTimeAsync(everyMs);
  expect(runs).toHaveLength(2);
  expect(said).toEqual(['it failed']);
});

test('lets callers join the run in progress, who get its result or its failure', async () => {
  const { runs, task } = heldTask();
  const both = Promise.all([task.run(), task.run()]);
  runs[0]?.succeed(7);
  expect(await both).toEqual([7, 7]);
  const failing = task.run();
  runs[1]?.fail();
  await expect(failing).rejects.toThrow('away');
  expect(runs).toHaveLength(2);
  expect(said).toEqual([]);
});

test('waits for the run in progress when it is stopped', async () => {
  const { runs, task } = heldTask();
  await jest.advanceTimersByTimeAsync(everyMs);
  let isStopped = false;
  const stopped = task.stop().then(() => (isStopped = true));
  await jest.advanceTimersByTimeAsync(everyMs);
  expect(isStopped).toBe(false);
  runs[0]?.fail();
  await stopped;
});

test('starts the first run earlier if asked to', async () => {
  const run = jest.fn().mockResolvedValue(undefined);
  const task = new PeriodicTask({ everyMs, firstAfterMs: 10, run, log, failure: 'it failed' });
  task.start();
  await jest.advanceTimersByTimeAsync(10);
  expect(run).toHaveBeenCalledTimes(1);
  await jest.advanceTimersByTimeAsync(everyMs);
  expect(run).toHaveBeenCalledTimes(2);
  await task.stop();
  expect(jest.getTimerCount()).toBe(0);
});

test('runs on demand without being started', async () => {
  const run = jest.fn().mockResolvedValue(undefined);
  const task = new PeriodicTask({ everyMs, run, log, failure: 'it failed' });
  await task.attempt();
  expect(run).toHaveBeenCalledTimes(1);
  expect(jest.getTimerCount()).toBe(0);
});

test('tells the run in progress when it is stopped', async () => {
  const run = (signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  const task = new PeriodicTask({ everyMs, run, log, failure: 'it failed' });
  const running = task.run();
  await task.stop();
  await running;
});
