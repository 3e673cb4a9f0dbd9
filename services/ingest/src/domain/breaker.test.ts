import { Breaker } from './breaker';

let nowMs = 0;
const breaker = () => new Breaker({ failuresMax: 3, openMs: 1_000, namesMax: 2 }, () => nowMs);

beforeEach(() => (nowMs = 0));

test('opens after consecutive failures, and only for the name that failed', () => {
  const kept = breaker();
  kept.failed('a');
  kept.failed('a');
  expect(kept.allows('a')).toBe(true);
  kept.succeeded('a');
  for (let n = 0; n < 3; n++) kept.failed('a');
  expect(kept.allows('a')).toBe(false);
  expect(kept.allows('b')).toBe(true);
});

test('allows one attempt after a pause, and its outcome decides whether the pause continues', () => {
  const kept = breaker();
  for (let n = 0; n < 3; n++) kept.failed('a');
  nowMs = 1_000;
  expect([kept.allows('a'), kept.allows('a')]).toEqual([true, true]);
  kept.attempted('a');
  expect(kept.allows('a')).toBe(false);
  kept.failed('a');
  expect(kept.allows('a')).toBe(false);
  nowMs = 2_000;
  expect(kept.allows('a')).toBe(true);
  kept.succeeded('a');
  expect([kept.allows('a'), kept.allows('a')]).toEqual([true, true]);
});

test('forgets names that have not failed for a long time', () => {
  const kept = breaker();
  for (const name of ['a', 'b', 'c']) for (let n = 0; n < 3; n++) kept.failed(name);
  expect([kept.allows('a'), kept.allows('b'), kept.allows('c')]).toEqual([true, false, false]);
});
