import { silentLog } from '@receipts/testing';
import { handlerTimeoutMs, BatchQueue, stuckMs, type BatchQueueOptions } from './batch-queue';

const batchWindowMs = 50;

let batches: (readonly number[])[];

// The event loop functions stay real, because queues rely on its turns.
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  batches = [];
});
afterEach(() => jest.useRealTimers());

function queueWith(options: Partial<BatchQueueOptions<number>> = {}): BatchQueue<number> {
  return new BatchQueue<number>({
    type: 'jobs',
    batchMax: 256,
    concurrency: 1,
    batchWindowMs,
    run: async (jobs) => void batches.push(jobs),
    log: silentLog,
    ...options,
  });
}

/** Waits for all work that does not depend on a timer. */
async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
}

const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, i) => from + i);

it('starts the first job immediately, and gathers those that follow soon', async () => {
  const queue = queueWith();
  queue.add(1);
  await settle();
  expect(batches).toEqual([[1]]);

  for (const job of [2, 3, 4]) {
    queue.add(job);
    await settle();
  }
  expect(batches).toHaveLength(1);

  jest.advanceTimersByTime(batchWindowMs);
  await settle();
  expect(batches).toEqual([[1], [2, 3, 4]]);
});

it('delays no job after a pause', async () => {
  const queue = queueWith();
  for (const job of [1, 2, 3]) {
    queue.add(job);
    await settle();
    expect(batches.at(-1)).toEqual([job]);
    jest.advanceTimersByTime(batchWindowMs);
  }
});

it('stops gathering once it has many jobs', async () => {
  const queue = queueWith();
  queue.add(0);
  await settle();
  for (const job of numbers(64, 1)) queue.add(job);
  await settle();
  expect(batches).toEqual([[0], numbers(64, 1)]);
});

it('starts all jobs once it has many, even if they are handled individually', async () => {
  const queue = queueWith({ batchMax: 1, concurrency: 128 });
  queue.add(0);
  await settle();
  for (const job of numbers(64, 1)) queue.add(job);
  await settle();
  expect(batches).toEqual(numbers(65).map((job) => [job]));
});

it('starts a batch before the window ends if isFull returns true', async () => {
  const queue = queueWith({ isFull: (waiting) => waiting.length >= 2 });
  for (const job of numbers(3)) {
    queue.add(job);
    await settle();
  }
  expect(batches).toEqual([[0], [1, 2]]);
});

it('starts no batch while another is running, no matter how long that takes', async () => {
  let end = () => {};
  const queue = queueWith({
    run: (jobs) => {
      batches.push(jobs);
      return new Promise<void>((resolve) => (end = resolve));
    },
  });
  queue.add(1);
  await settle();
  queue.add(2);
  jest.advanceTimersByTime(10 * batchWindowMs);
  await settle();
  expect(batches).toEqual([[1]]);

  queue.add(3);
  end();
  await settle();
  expect(batches).toEqual([[1], [2, 3]]);
});

it('is idle once gathered jobs are done or removed', async () => {
  const queue = queueWith();
  queue.add(1);
  await settle();
  queue.add(2);
  let isIdle = false;
  const idle = queue.idle().then(() => (isIdle = true));
  await settle();
  expect(isIdle).toBe(false);
  jest.advanceTimersByTime(batchWindowMs);
  await idle;
  expect(batches).toEqual([[1], [2]]);

  queue.add(3);
  queue.drop(() => true);
  await queue.idle();
  jest.advanceTimersByTime(batchWindowMs);
  await settle();
  expect(batches).toHaveLength(2);
});

it('starts all gathered jobs together if they are handled individually', async () => {
  const queue = queueWith({ batchMax: 1, concurrency: 4 });
  queue.add(0);
  await settle();
  for (const job of numbers(3, 1)) queue.add(job);
  await settle();
  expect(batches).toEqual([[0]]);
  jest.advanceTimersByTime(batchWindowMs);
  await settle();
  expect(batches).toEqual([[0], [1], [2], [3]]);
});

it('limits the size of batches', async () => {
  const queue = queueWith({ batchMax: 10, concurrency: 8 });
  for (const job of numbers(75)) queue.add(job);
  await settle();
  expect(batches.map(({ length }) => length)).toEqual([10, 10, 10, 10, 10, 10, 10, 5]);
});

it('gathers nothing unless configured', async () => {
  const queue = queueWith({ batchWindowMs: 0 });
  for (const job of [1, 2, 3]) {
    queue.add(job);
    await settle();
  }
  expect(batches).toEqual([[1], [2], [3]]);
});

it('releases its channel while a batch hangs, and gives up on the process if no batch ends', async () => {
  const reasons: string[] = [];
  const queue = queueWith({
    batchWindowMs: 0,
    giveUp: ({ message }) => void reasons.push(message),
    run: async (jobs) => {
      batches.push(jobs);
      if (jobs[0] === 1) await new Promise<void>(() => {});
    },
  });
  queue.add(1);
  await settle();
  jest.advanceTimersByTime(handlerTimeoutMs);
  expect(batches).toEqual([[1]]);
  for (const job of [2, 3]) {
    queue.add(job);
    await settle();
    jest.advanceTimersByTime(stuckMs - 1);
  }
  expect(batches).toEqual([[1], [2], [3]]);
  expect(reasons).toEqual([]);
  jest.advanceTimersByTime(1);
  expect(reasons).toEqual(['the handlers of jobs did not finish in time']);
});

it('does not give up on the process once all batches have ended', async () => {
  const giveUp = jest.fn();
  const queue = queueWith({ giveUp });
  queue.add(1);
  await settle();
  jest.advanceTimersByTime(10 * stuckMs);
  expect(giveUp).not.toHaveBeenCalled();
});
