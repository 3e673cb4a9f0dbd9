import { FairQueue } from './fair-queue';

const job = (retailer: string, n: number) => ({ retailer, n });
const always = () => true;

function finishNext(queue: FairQueue<ReturnType<typeof job>>, ms: number): string | undefined {
  const next = queue.take(always);
  if (next) queue.finished(next, ms);
  return next?.retailer;
}

test('shares time between retailers by the time used, not by the number of jobs', () => {
  const queue = new FairQueue<ReturnType<typeof job>>();
  for (let n = 0; n < 100; n++) queue.add(job('slow', n));
  for (let n = 0; n < 100; n++) queue.add(job('quick', n));
  const order: string[] = [];
  for (let n = 0; n < 60; n++) {
    const next = queue.take(always);
    if (!next) break;
    order.push(next.retailer);
    queue.finished(next, next.retailer === 'slow' ? 500 : 2);
  }
  expect(order.filter((retailer) => retailer === 'slow').length).toBeLessThan(4);
});

test('starts a new retailer level with the others', () => {
  const queue = new FairQueue<ReturnType<typeof job>>();
  for (let n = 0; n < 50; n++) queue.add(job('early', n));
  for (let n = 0; n < 40; n++) finishNext(queue, 10);
  for (let n = 0; n < 50; n++) queue.add(job('late', n));
  const turns = Array.from({ length: 10 }, () => finishNext(queue, 10));
  expect(turns.filter((retailer) => retailer === 'early').length).toBeGreaterThanOrEqual(4);
});

test('keeps the order of a retailer’s jobs, and can return a job to the head', () => {
  const queue = new FairQueue<ReturnType<typeof job>>();
  [1, 2, 3].forEach((n) => queue.add(job('a', n)));
  const first = queue.take(always);
  if (first) queue.requeue(first);
  expect([queue.take(always)?.n, queue.take(always)?.n, queue.take(always)?.n]).toEqual([1, 2, 3]);
  expect(queue.length).toBe(0);
});

test('refunds a retailer with slow jobs exactly what it was charged', () => {
  const queue = new FairQueue<ReturnType<typeof job>>();
  for (let n = 0; n < 16; n++) queue.add(job('slow', n));
  const [first, ...rest] = Array.from({ length: 16 }, () => queue.take(always));
  if (first) queue.finished(first, 500);
  for (const other of rest.reverse()) if (other) queue.requeue(other);
  for (let n = 0; n < 16; n++) queue.add(job('quick', n));
  for (let n = 0; n < 16; n++) expect(finishNext(queue, 2)).toBe('quick');
});

test('skips jobs that may not run now', () => {
  const queue = new FairQueue<ReturnType<typeof job>>();
  queue.add(job('a', 1));
  queue.add(job('b', 2));
  expect(queue.take(({ retailer }) => retailer === 'b')?.n).toBe(2);
  expect(queue.take(({ retailer }) => retailer === 'b')).toBeUndefined();
});

test('reports how much work is waiting', () => {
  const queue = new FairQueue<ReturnType<typeof job>>();
  for (let n = 0; n < 20; n++) queue.add(job('a', n));
  for (let n = 0; n < 10; n++) finishNext(queue, 100);
  expect(queue.averageMs('a')).toBeGreaterThan(80);
  expect(queue.backlogMs('a')).toBeGreaterThan(800);
  expect(queue.backlogMs('b')).toBe(0);
});
