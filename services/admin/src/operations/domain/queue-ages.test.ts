import { QueueAges } from './queue-ages';

it('measures from the first check that finds messages to the next check that finds none', () => {
  const ages = new QueueAges();
  const see = (messages: number, now: number) => ages.note([{ queue: 'q', messages }], now);
  expect(ages.secondsOf('q', 5_000)).toBe(0);
  see(3, 10_000);
  see(1, 20_000);
  expect(ages.secondsOf('q', 25_500)).toBe(15);
  see(0, 30_000);
  expect(ages.secondsOf('q', 40_000)).toBe(0);
  see(2, 50_000);
  expect(ages.secondsOf('q', 51_000)).toBe(1);
});
