import { Backoff } from './backoff';

test('each failure doubles the delay up to a minute, and a success resets it', () => {
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

test('many failures at once have a common cause and are forgotten', () => {
  const backoff = new Backoff(() => 0);
  for (let n = 0; n <= 2_000; n++) backoff.fail(String(n));
  expect([backoff.isDue('0'), backoff.isDue('2000')]).toEqual([true, false]);
});
