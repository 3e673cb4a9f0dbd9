import { quietLog } from '../../test/sums';
import { standbyQueue } from '../topology/queues';
import { RequestRoutes } from './request-routes';

const queue = 'receipts.sums.requests';

function someRoutes() {
  const found = { isServed: true as boolean | undefined, checks: 0 };
  const left: string[] = [];
  const routes = new RequestRoutes({
    isServed: async () => (found.checks++, found.isServed),
    left: (one) => left.push(one),
    log: quietLog(),
  });
  return { routes, found, left };
}

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('stays with a queue whose owner responds', async () => {
  const { routes, left } = someRoutes();
  void routes.check(queue);
  await jest.advanceTimersByTimeAsync(10_000);
  expect([routes.targetOf(queue), left]).toEqual([queue, []]);
});

it('uses the standby until the owner responds in the queue again', async () => {
  const { routes, found, left } = someRoutes();
  found.isServed = false;
  void routes.check(queue);
  await jest.advanceTimersByTimeAsync(10_000);
  expect([routes.targetOf(queue), left]).toEqual([standbyQueue(queue), [queue]]);
  found.isServed = true;
  await jest.advanceTimersByTimeAsync(2_000);
  expect(routes.targetOf(queue)).toBe(queue);
});

it('returns to a queue at once if it responds over a new channel', async () => {
  const { routes, found } = someRoutes();
  found.isServed = false;
  void routes.check(queue);
  await jest.advanceTimersByTimeAsync(100);
  routes.recheck();
  await jest.advanceTimersByTimeAsync(100);
  expect(routes.targetOf(queue)).toBe(standbyQueue(queue));
  found.isServed = true;
  routes.recheck();
  await jest.advanceTimersByTimeAsync(100);
  expect(routes.targetOf(queue)).toBe(queue);
});

it('decides nothing while nothing can be known', async () => {
  const { routes, found } = someRoutes();
  found.isServed = undefined;
  void routes.check(queue);
  await jest.advanceTimersByTimeAsync(10_000);
  expect(routes.targetOf(queue)).toBe(queue);
  routes.leave(queue);
  await jest.advanceTimersByTimeAsync(10_000);
  expect(routes.targetOf(queue)).toBe(standbyQueue(queue));
});

it('asks once in two seconds, no matter how many requests wait, and not after its end', async () => {
  const { routes, found } = someRoutes();
  found.isServed = false;
  for (let n = 0; n < 10; n++) void routes.check(queue);
  await jest.advanceTimersByTimeAsync(4_100);
  expect(found.checks).toBe(3);
  routes.close();
  await jest.advanceTimersByTimeAsync(60_000);
  expect(found.checks).toBe(3);
});
