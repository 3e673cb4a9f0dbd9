import { backoffMs, Idle, oncePerTurn } from './timing';

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
