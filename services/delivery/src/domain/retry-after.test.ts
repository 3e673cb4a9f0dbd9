import { retryAfterMs } from './retry-after';

const now = new Date('2026-05-17T10:00:00Z');

it.each([
  ['120', 120_000],
  [' 7 ', 7_000],
  ['999999999', 86_400_000],
  ['Sun, 17 May 2026 10:01:00 GMT', 60_000],
  ['Sun, 17 May 2026 09:00:00 GMT', 0],
  ['-5', undefined],
  ['soon', undefined],
  ['1e3', undefined],
  [undefined, undefined],
])('Retry-After: %s', (value, expected) => {
  expect(retryAfterMs(value, now)).toBe(expected);
});
