import { LatencyLimiter } from './upstream';

const latencyMsMax = 1_000;

/** An owner that replies when the test tells it to, with a simulated clock. */
function queue(max = latencyMsMax) {
  let now = 0;
  const delay = new LatencyLimiter(max, () => now);
  const waiting: ((isRefused: boolean) => void)[] = [];
  const settled: Promise<unknown>[] = [];
  return {
    delay,
    get open() {
      return waiting.length;
    },
    pass: (ms: number) => void (now += ms),
    ask(count: number) {
      for (let n = 0; n < count; n++) {
        const work = new Promise<void>((resolve, reject) =>
          waiting.push((isRefused) => (isRefused ? reject(new Error('refused by the owner')) : resolve())),
        );
        settled.push(delay.measure(work).catch(() => {}));
      }
    },
    /** The oldest requests are completed first. */
    async answer(count: number, isRefused = false) {
      for (const settle of waiting.splice(0, count)) settle(isRefused);
      await Promise.all(settled.splice(0, count));
    },
    get takesMore() {
      try {
        delay.check();
        return true;
      } catch (error) {
        expect(error).toMatchObject({ status: 503, code: 'unavailable' });
        return false;
      }
    },
  };
}

/** Simulates a queue: this many requests were completed in half a second, each after more than the maximum latency. */
async function queued(open: number, { answered = 1, isRefused = false } = {}) {
  const asked = queue();
  asked.ask(answered + 1 + open);
  asked.pass(latencyMsMax + 1);
  await asked.answer(answered, isRefused);
  asked.pass(500);
  await asked.answer(1, isRefused);
  return asked;
}

test('rejects further requests while even the fastest reply takes too long', async () => {
  expect((await queued(300)).takesMore).toBe(false);
});

test('counts errors from the owner as replies', async () => {
  expect((await queued(300, { isRefused: true })).takesMore).toBe(false);
});

test('does not treat a few requests for a slow owner as a queue', async () => {
  const asked = await queued(63);
  expect(asked.takesMore).toBe(true);
  asked.ask(1);
  expect(asked.takesMore).toBe(false);
});

test('allows as many open requests as can be completed within the maximum at the current rate', async () => {
  const asked = await queued(400, { answered: 150 });
  await asked.answer(100);
  expect(asked.takesMore).toBe(false);
  await asked.answer(1);
  expect(asked.takesMore).toBe(true);
});

test('raises the limit slowly once the delay is gone', async () => {
  const asked = await queued(300, { answered: 100 });
  await asked.answer(299);
  asked.ask(10);
  await asked.answer(2);
  asked.pass(500);
  await asked.answer(1);
  asked.ask(249 - asked.open);
  expect(asked.takesMore).toBe(true);
  asked.ask(1);
  expect(asked.takesMore).toBe(false);
});

test('treats one fast reply in a window as a sign that there is no queue', async () => {
  const asked = queue();
  asked.ask(300);
  asked.pass(latencyMsMax + 1);
  await asked.answer(299);
  asked.ask(299);
  await asked.answer(2);
  asked.pass(500);
  await asked.answer(1);
  asked.ask(300);
  expect(asked.takesMore).toBe(true);
});

test('resets its state once all requests are completed', async () => {
  const asked = await queued(300);
  await asked.answer(300);
  asked.ask(1_000);
  expect(asked.takesMore).toBe(true);
});

test('tolerates an owner that briefly does not reply', () => {
  const asked = queue();
  asked.ask(1_000);
  asked.pass(3_000);
  expect(asked.takesMore).toBe(true);
});

test('is disabled by 0', async () => {
  const asked = queue(0);
  asked.ask(1_000);
  for (const ms of [1, 500, 500]) {
    asked.pass(ms);
    await asked.answer(1);
  }
  expect(asked.takesMore).toBe(true);
});
