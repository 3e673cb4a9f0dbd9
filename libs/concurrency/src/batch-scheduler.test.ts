import { BatchScheduler, type BatchSchedulerOptions } from './batch-scheduler';

const batchWindowMs = 50;

// The event loop functions stay real, because schedulers rely on its turns.
beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
afterEach(() => jest.useRealTimers());

/** A scheduler whose batches have at most three items, and end when the test says so. */
function world(options: Partial<BatchSchedulerOptions<number>> = {}) {
  const waiting: number[] = [];
  const started: (readonly number[])[] = [];
  const ends: (() => void)[] = [];
  const scheduler = new BatchScheduler<number>({
    waitingCount: () => waiting.length,
    take: () => waiting.splice(0, 3),
    run: (items) => {
      started.push(items);
      return new Promise<void>((resolve) => ends.push(resolve));
    },
    ...options,
  });
  const add = async (...items: number[]) => {
    for (const item of items) {
      waiting.push(item);
      scheduler.schedule();
    }
    await settle();
  };
  const end = async (at: number) => {
    ends[at]?.();
    await settle();
  };
  return { scheduler, started, add, end };
}

/** Waits for all work that does not depend on a timer. */
async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
}

async function passes(ms: number): Promise<void> {
  jest.advanceTimersByTime(ms);
  await settle();
}

test('forms batches from the items of a turn', async () => {
  const { started, add } = world();
  await add(1, 2, 3, 4);
  expect(started).toEqual([[1, 2, 3], [4]]);
});

test('starts the next batch when a running batch ends', async () => {
  const { started, add, end } = world({ concurrency: 1 });
  await add(1);
  await add(2);
  await add(3);
  expect(started).toEqual([[1]]);
  await end(0);
  expect(started).toEqual([[1], [2, 3]]);
});

test('forms one batch from the items that wait and those of the turn in which a batch ends', async () => {
  const waiting: number[] = [];
  const { scheduler, started, end } = world({
    concurrency: 1,
    waitingCount: () => waiting.length,
    take: () => waiting.splice(0, 3),
  });
  waiting.push(1);
  scheduler.start();
  waiting.push(2);
  const ended = end(0);
  await Promise.resolve().then(() => process.nextTick(() => waiting.push(3)));
  await ended;
  expect(started).toEqual([[1], [2, 3]]);
});

test('starts no batch if none can be taken', async () => {
  const { scheduler, started, add } = world({ take: () => [] });
  await add(1);
  scheduler.start();
  expect(started).toEqual([]);
});

test('starts the first item immediately, and those that follow at the end of the window', async () => {
  const { started, add } = world({ batchWindowMs });
  await add(1);
  await add(2);
  await add(3);
  expect(started).toEqual([[1]]);
  await passes(batchWindowMs);
  expect(started).toEqual([[1], [2, 3]]);
  await passes(batchWindowMs);
  await add(4);
  expect(started).toEqual([[1], [2, 3], [4]]);
});

test('starts items before the window ends if there are enough, or on request', async () => {
  const { scheduler, started, add } = world({ batchWindowMs, isFull: () => started.length === 1 });
  await add(1);
  await add(2);
  await add(3);
  expect(started).toEqual([[1], [2]]);
  scheduler.startNow();
  expect(started).toEqual([[1], [2], [3]]);
});

test('starts all waiting items if there are enough', async () => {
  const started: number[] = [];
  const waiting: number[] = [];
  const { scheduler, add } = world({
    batchWindowMs,
    waitingCount: () => waiting.length,
    take: () => waiting.splice(0, 1),
    isFull: () => waiting.length >= 4,
    run: async ([item]) => void started.push(item as number),
  });
  waiting.push(0);
  scheduler.start();
  waiting.push(1, 2, 3);
  await add(9);
  expect(started).toEqual([0]);
  waiting.push(4);
  await add(9);
  expect(started).toEqual([0, 1, 2, 3, 4]);
});

test('ignores the window while few batches are running', async () => {
  const { started, add, end } = world({ batchWindowMs, windowFrom: 2 });
  for (const item of [1, 2, 3, 4]) await add(item);
  expect(started).toEqual([[1], [2]]);
  await end(0);
  expect(started).toEqual([[1], [2], [3, 4]]);
  await add(5);
  await passes(batchWindowMs);
  expect(started[3]).toEqual([5]);
});

test('is idle when nothing waits and nothing runs', async () => {
  const { scheduler, add, end } = world({ concurrency: 1 });
  await scheduler.idle();
  let isIdle = false;
  await add(1);
  await add(2);
  const idle = scheduler.idle().then(() => (isIdle = true));
  await end(0);
  expect(isIdle).toBe(false);
  await end(1);
  await idle;
});
