import { until, silentLog } from '@receipts/testing';
import type { Due } from './claim-round-robin';
import { DueWork } from './due-work';

interface Piece extends Due {
  readonly n: number;
}

const pieces = (numbers: number[], retailer = 'a'): Piece[] => numbers.map((n) => ({ retailer, n }));

/** Due pieces of work, and a gate that each attempt waits for. */
function world(due: Piece[], options: { stopGraceMs?: number; parallelMax?: number; failing?: number } = {}) {
  const done: number[] = [];
  const warned: unknown[] = [];
  let open!: () => void;
  const gate = new Promise<void>((resolve) => (open = resolve));
  let claims = 0;
  let running = 0;
  let runningMax = 0;
  const work = new DueWork<Piece>({
    name: 'pieces',
    claim: ({ except }) => {
      claims++;
      const index = due.findIndex(({ retailer }) => !except.includes(retailer));
      return Promise.resolve(index === -1 ? null : due.splice(index, 1)[0]!);
    },
    attempt: async ({ n }) => {
      if (n === options.failing) throw new Error('no database');
      runningMax = Math.max(runningMax, ++running);
      await gate;
      running--;
      done.push(n);
    },
    log: { ...silentLog, warn: (message, facts) => warned.push(message, facts) },
    ...options,
  });
  return {
    work,
    done,
    warned,
    open,
    claims: () => claims,
    running: () => running,
    runningMax: () => runningMax,
  };
}

afterEach(() => jest.useRealTimers());

test('works on all due pieces, four of a retailer at a time', async () => {
  const { work, done, open, running, runningMax } = world(pieces([1, 2, 3, 4, 5, 6, 7]));
  work.wake();
  await until('four attempts', () => running() === 4);
  open();
  await until('all pieces', () => done.length === 7);
  expect(runningMax()).toBe(4);
  await work.stop();
});

test("leaves capacity for others when a retailer's work is slow", async () => {
  const { work, done, open, running } = world([
    ...pieces([1, 2, 3, 4, 5, 6, 7, 8, 9]),
    ...pieces([11, 12, 13, 14, 15, 16], 'b'),
    ...pieces([21], 'c'),
  ]);
  work.wake();
  await until('eight attempts', () => running() === 8);
  open();
  await until('all pieces', () => done.length === 16);
  expect(done.slice(0, 8)).toEqual([1, 2, 3, 4, 11, 12, 13, 14]);
  await work.stop();
});

test('works on as many pieces in parallel as its owner allows, half of them for one retailer', async () => {
  const { work, open, running, claims } = world(
    [...pieces([1, 2, 3]), ...pieces([11, 12, 13], 'b'), ...pieces([21], 'c')],
    { parallelMax: 4 },
  );
  work.wake();
  await until('four attempts', () => running() === 4);
  expect(claims()).toBe(4);
  open();
  await work.stop();
});

test('claims once for wakes at the same time', async () => {
  const { work, claims } = world([]);
  for (let n = 0; n < 5; n++) work.wake();
  await new Promise(setImmediate);
  expect(claims()).toBe(1);
  work.wake();
  await new Promise(setImmediate);
  expect(claims()).toBe(2);
  await work.stop();
});

test('looks for due work when it is started, and from then on', async () => {
  jest.useFakeTimers();
  const due = pieces([1]);
  const { work, done, open } = world(due);
  open();
  expect(jest.getTimerCount()).toBe(0);
  work.start();
  await jest.advanceTimersByTimeAsync(0);
  expect(done).toEqual([1]);
  due.push(...pieces([2]));
  await jest.advanceTimersByTimeAsync(2_000);
  expect(done).toEqual([1, 2]);
  await work.stop();
  expect(jest.getTimerCount()).toBe(0);
});

test('waits for attempts in progress when stopped, and claims nothing more', async () => {
  const due = pieces([1, 2, 3, 4, 5, 6]);
  const { work, done, open, running } = world(due);
  work.wake();
  await until('the attempts', () => running() === 4);
  const stopped = work.stop();
  work.wake();
  open();
  await stopped;
  expect([done, due]).toEqual([[1, 2, 3, 4], pieces([5, 6])]);
});

test('does not wait for a hanging attempt when stopped with a grace period', async () => {
  jest.useFakeTimers();
  const { work, done, running } = world(pieces([1]), { stopGraceMs: 1_000 });
  work.wake();
  await jest.advanceTimersByTimeAsync(0);
  expect([running(), work.hasTimeToHandOver]).toEqual([1, true]);
  const stopped = work.stop();
  await jest.advanceTimersByTimeAsync(1_000);
  await stopped;
  expect(work.hasTimeToHandOver).toBe(false);
  expect(done).toEqual([]);
});

test('logs a failure, and continues on the next wake', async () => {
  const { work, done, warned, open } = world(pieces([1, 2]), { failing: 1 });
  open();
  work.wake();
  await until('the warning', () => warned.length > 0);
  expect(warned).toEqual(['could not work on pieces', { error: expect.any(Error) }]);
  work.wake();
  await until('the second piece', () => done.length === 1);
  expect(done).toEqual([2]);
  await work.stop();
});
