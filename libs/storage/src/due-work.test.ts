import { until } from '@receipts/testing';
import { DueWork } from './due-work';

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Pieces of work that are due, and a gate that each attempt waits for. */
function world(due: number[], options: { stopGraceMs?: number; failing?: number } = {}) {
  const done: number[] = [];
  const warned: unknown[] = [];
  let open!: () => void;
  const gate = new Promise<void>((resolve) => (open = resolve));
  let running = 0;
  let runningMax = 0;
  const work = new DueWork<number>({
    name: 'pieces',
    claim: () => Promise.resolve(due.shift() ?? null),
    attempt: async (piece) => {
      if (piece === options.failing) throw new Error('no database');
      runningMax = Math.max(runningMax, ++running);
      await gate;
      running--;
      done.push(piece);
    },
    log: { ...quiet, warn: (message, facts) => warned.push(message, facts) },
    ...(options.stopGraceMs !== undefined && { stopGraceMs: options.stopGraceMs }),
  });
  return { work, done, warned, open, running: () => running, runningMax: () => runningMax };
}

test('all that is due is worked on, four pieces at a time', async () => {
  const { work, done, open, running, runningMax } = world([1, 2, 3, 4, 5, 6, 7]);
  for (let wakes = 0; wakes < 9; wakes++) work.wake();
  await until('four attempts', () => running() === 4);
  open();
  await until('all pieces', () => done.length === 7);
  expect(runningMax()).toBe(4);
  await work.stop();
});

test('a stop waits for attempts in progress and claims nothing more', async () => {
  const due = [1, 2];
  const { work, done, open, running } = world(due);
  work.wake();
  await until('the attempt', () => running() === 1);
  const stopped = work.stop();
  work.wake();
  open();
  await stopped;
  expect([done, due]).toEqual([[1], [2]]);
});

test('a stop with a grace does not wait for an attempt that hangs', async () => {
  const { work, done, running } = world([1], { stopGraceMs: 1 });
  work.wake();
  await until('the attempt', () => running() === 1);
  await work.stop();
  expect(done).toEqual([]);
});

test('a failure is logged, and the next wake goes on', async () => {
  const { work, done, warned, open } = world([1, 2], { failing: 1 });
  open();
  work.wake();
  await until('the warning', () => warned.length > 0);
  expect(warned).toEqual(['could not work on pieces', { error: 'Error' }]);
  work.wake();
  await until('the second piece', () => done.length === 1);
  expect(done).toEqual([2]);
  await work.stop();
});
