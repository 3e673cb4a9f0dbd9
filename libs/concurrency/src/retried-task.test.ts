import { RetriedTask } from './retried-task';

/** Bounded by the test's limit. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
}

const warnings: string[] = [];
const log = { warn: (msg: string) => warnings.push(msg), info: () => {}, error: () => {}, debug: () => {} };
const options = { retryFirstMs: 1, retryMaxMs: 2, log: log as never, failure: 'could not run' };

beforeEach(() => warnings.splice(0));

it('runs again until it succeeds, and logs only errors', async () => {
  const outcomes = [() => Promise.reject(new Error('down')), () => Promise.resolve(false)];
  let runs = 0;
  const task = new RetriedTask({
    ...options,
    run: () => outcomes[runs++]?.() ?? Promise.resolve(true),
  });
  task.request();
  await until(() => runs === 3);
  await task.stop();
  expect([runs, warnings]).toEqual([3, ['could not run']]);
});

it('runs once more for requests during a run, and not after it was stopped', async () => {
  let runs = 0;
  let release = () => {};
  const task = new RetriedTask({
    ...options,
    run: async () => {
      runs++;
      await new Promise<void>((resolve) => (release = resolve));
      return true;
    },
  });
  task.request();
  await until(() => runs === 1);
  task.request();
  task.request();
  release();
  await until(() => runs === 2);
  const stopped = task.stop();
  task.request();
  release();
  await stopped;
  expect(runs).toBe(2);
});

it('ends a pause when it is stopped', async () => {
  const task = new RetriedTask({ ...options, delayMs: 600_000, run: () => Promise.resolve(true) });
  task.request();
  await task.stop();
});
