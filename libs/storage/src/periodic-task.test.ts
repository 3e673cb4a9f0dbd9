import { silentLog, until } from '@receipts/testing';
import { PeriodicTask } from './periodic-task';

test('runs at regular intervals, even after a failure, and reports only runs started by the timer', async () => {
  const done: number[] = [];
  const warned: string[] = [];
  let runs = 0;
  const task = new PeriodicTask({
    everyMs: 1,
    run: () => (++runs === 1 ? Promise.reject(new Error('away')) : Promise.resolve(runs)),
    onDone: (run) => done.push(run),
    log: { ...silentLog, warn: (message) => void warned.push(message) },
    failure: 'it failed',
  });
  await until('two runs have succeeded', () => done.length >= 2);
  await task.stop();
  expect(warned).toEqual(['it failed']);
  expect(done.slice(0, 2)).toEqual([2, 3]);
});

test('joins the run in progress, and waits for it when stopped', async () => {
  let end = () => {};
  let runs = 0;
  const task = new PeriodicTask({
    everyMs: 0,
    run: async () => {
      runs++;
      await new Promise<void>((resolve) => (end = resolve));
    },
    log: silentLog,
    failure: 'it failed',
  });
  const both = Promise.all([task.run(), task.run()]);
  let isStopped = false;
  const stopped = task.stop().then(() => (isStopped = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect([runs, isStopped]).toEqual([1, false]);
  end();
  await both;
  await stopped;
});
