import { QueueAges } from '../domain/queue-ages';
import { requestQueues, retryingQueues } from '../queues';
import { watchQueues } from './watch-queues';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('checks all queues every 15 seconds, even after a failure', async () => {
  const ages = new QueueAges();
  const warnings: string[] = [];
  const polls: (readonly string[])[] = [];
  let fails = false;
  const silent = (text: string) => void warnings.push(text);
  const watching = watchQueues({
    ages,
    depth: (queues) => {
      polls.push(queues);
      if (fails) return Promise.reject(new Error('the broker is unavailable'));
      return Promise.resolve(queues.map((queue) => ({ queue, messages: 1, consumers: 0 })));
    },
    now: () => new Date(),
    log: { debug: silent, info: silent, warn: silent, error: silent },
  });
  watching.start();
  await jest.advanceTimersByTimeAsync(15_000);
  fails = true;
  await jest.advanceTimersByTimeAsync(15_000);
  fails = false;
  await jest.advanceTimersByTimeAsync(15_000);
  await watching.stop();
  await jest.advanceTimersByTimeAsync(60_000);
  expect(polls).toEqual(Array.from({ length: 3 }, () => [...requestQueues, ...retryingQueues]));
  expect(warnings).toHaveLength(1);
  expect(ages.secondsOf('ingest.commands', Date.now() - 60_000)).toBe(30);
});
