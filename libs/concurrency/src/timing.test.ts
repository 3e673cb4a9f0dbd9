import { backoffMs, firstSuccess, Idle, oncePerTurn } from './timing';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('doubles the back-off up to its maximum', () => {
  expect([0, 1, 2, 3, 4, 1_000].map((attempt) => backoffMs(attempt, 100, 1_000))).toEqual([
    100, 200, 400, 800, 1_000, 1_000,
  ]);
});

test('runs once for several calls in one turn of the event loop', async () => {
  let runs = 0;
  const schedule = oncePerTurn(() => runs++);
  schedule();
  schedule();
  await turn();
  expect(runs).toBe(1);
  schedule();
  await turn();
  expect(runs).toBe(2);
});

test('waits until nothing is in progress', async () => {
  let running = 1;
  const idle = new Idle(() => running === 0);
  let isIdle = false;
  const waiting = idle.wait().then(() => (isIdle = true));
  idle.check();
  await turn();
  expect(isIdle).toBe(false);
  running = 0;
  idle.check();
  await waiting;
  await idle.wait();
});

describe('first success', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  /** Attempts that take these times. A negative time is that of a failure. */
  const attempts = (...times: number[]) => {
    let count = 0;
    return async () => {
      const number = count++;
      const ms = times[number] ?? Infinity;
      await new Promise((resolve) => Number.isFinite(ms) && setTimeout(resolve, Math.abs(ms)));
      if (ms < 0) throw new Error('failed');
      return number;
    };
  };

  test.each([
    ['the first attempt in time', [300], 0],
    ['an attempt that overtakes the first', [60_000, 100], 1],
    ['a late attempt that is not overtaken', [2_500, 60_000, 60_000], 0],
    ['the attempt after one that has failed', [-10, 20], 1],
    ['nothing if all take too long', [Infinity, 60_000], undefined],
    ['nothing if all fail', Array.from({ length: 1_000 }, () => -1), undefined],
  ])('is %s', async (_, times, expected) => {
    let found: number | string | undefined = 'none yet';
    void firstSuccess(1_000, 10_000, attempts(...times)).then((result) => (found = result));
    await jest.advanceTimersByTimeAsync(10_000);
    expect(found).toBe(expected);
  });
});
