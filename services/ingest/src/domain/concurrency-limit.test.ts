import { ConcurrencyLimit } from './concurrency-limit';

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The number of further requests that the limit admits. */
async function roomOf(window: ConcurrencyLimit): Promise<number> {
  let entered = 0;
  for (let n = 0; n < 100; n++) void window.enter().then(() => entered++);
  await settled();
  return entered;
}

test('admits as many requests as it has capacity for, and another request when one ends', async () => {
  const window = new ConcurrencyLimit({ min: 1, max: 16 }, 1_000, () => 0);
  let entered = 0;
  for (let n = 0; n < 6; n++) void window.enter().then(() => entered++);
  await settled();
  expect(entered).toBe(4);
  window.leave(true);
  await settled();
  // The timely reply has raised the limit.
  expect(entered).toBeGreaterThan(4);
});

test('grows to its maximum while replies arrive in time', async () => {
  const window = new ConcurrencyLimit({ min: 1, max: 16 }, 1_000, () => 0);
  for (let n = 0; n < 1_000; n++) {
    await window.enter();
    window.leave(true);
  }
  expect(await roomOf(window)).toBe(16);
});

test('halves once for all concurrent late replies, down to its minimum', async () => {
  let nowMs = 0;
  const window = new ConcurrencyLimit({ min: 1, max: 64 }, 1_000, () => nowMs);
  const late = async () => {
    await window.enter();
    window.leave(false);
  };
  for (let n = 0; n < 5; n++) await late();
  nowMs = 1_000;
  await late();
  expect(await roomOf(window)).toBe(4);

  const reduce = new ConcurrencyLimit({ min: 2, max: 8 }, 0, () => nowMs);
  for (let n = 0; n < 10; n++) {
    await reduce.enter();
    reduce.leave(false);
  }
  expect(await roomOf(reduce)).toBe(2);
});
