import { RetailerLimiter } from './retailer-limiter';

const refuse = (reason: string) => new Error(reason);

function work() {
  let finish = (): void => undefined;
  const done = new Promise<void>((resolve) => (finish = resolve));
  const run = jest.fn(() => done);
  return { run, finish };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('runs a few jobs per retailer at a time and the rest in order, and rejects jobs if the queue is full', async () => {
  const limiter = new RetailerLimiter({ runningMax: 2, waitingMax: 2, refuse });
  const works = Array.from({ length: 5 }, work);
  const outcomes = works.map(({ run }) => limiter.run('a', 1_000, run));
  const other = work();
  void limiter.run('b', 1_000, other.run);
  await expect(outcomes[4]).rejects.toThrow('too much work is waiting');
  const running = () => works.map(({ run }) => run.mock.calls.length).join('');
  expect(running()).toBe('11000');
  expect(other.run).toHaveBeenCalledTimes(1);
  works[1]?.finish();
  await outcomes[1];
  await settled();
  expect(running()).toBe('11100');
  works[0]?.finish();
  works[2]?.finish();
  await Promise.all([outcomes[0], outcomes[2]]);
  await settled();
  expect(running()).toBe('11110');
  works[3]?.finish();
  await outcomes[3];
});

test('rejects work that waits too long and removes it from the queue', async () => {
  const limiter = new RetailerLimiter({ runningMax: 1, waitingMax: 1, refuse });
  const first = work();
  const running = limiter.run('a', 1_000, first.run);
  const late = work();
  await expect(limiter.run('a', 5, late.run)).rejects.toThrow('waited too long');
  const next = work();
  const waiting = limiter.run('a', 1_000, next.run);
  next.finish();
  first.finish();
  await Promise.all([running, waiting]);
  expect(late.run).not.toHaveBeenCalled();
});

test('tells a job how many others are waiting', async () => {
  const limiter = new RetailerLimiter({ runningMax: 1, waitingMax: 2, refuse });
  const first = work();
  const waiting: number[] = [];
  const count = async (n: number) => void waiting.push(n);
  const outcomes = [
    limiter.run('a', 1_000, first.run),
    limiter.run('a', 1_000, count),
    limiter.run('a', 1_000, count),
  ];
  first.finish();
  await Promise.all(outcomes);
  expect(waiting).toEqual([1, 0]);
});

test('frees its slot when work fails', async () => {
  const limiter = new RetailerLimiter({ runningMax: 1, waitingMax: 0, refuse });
  await expect(limiter.run('a', 1, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(limiter.run('a', 1, () => Promise.resolve(7))).resolves.toBe(7);
});
