import { Backoff } from './backoff';

test('doubles the delay with each failure up to a minute, and resets it after a success', () => {
  let now = 0;
  const backoff = new Backoff(() => now);
  const delays: number[] = [];
  for (let failure = 0; failure < 8; failure++) {
    backoff.fail('a');
    const begun = now;
    while (!backoff.isDue('a')) now += 500;
    delays.push(now - begun);
  }
  expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  expect(backoff.isDue('b')).toBe(true);
  backoff.fail('a');
  backoff.succeed('a');
  expect(backoff.isDue('a')).toBe(true);
});

test('resets all delays when many keys fail at once', () => {
  const backoff = new Backoff(() => 0);
  for (let n = 0; n <= 2_000; n++) backoff.fail(String(n));
  expect([backoff.isDue('0'), backoff.isDue('2000')]).toEqual([true, false]);
});
