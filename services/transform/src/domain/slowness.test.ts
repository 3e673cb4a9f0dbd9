import { slowness } from './slowness';

/** A processor that takes this long for the measurement. */
const processor = (takesMs: number) => {
  const times = [1_000, 1_000 + takesMs];
  return () => times.shift() ?? NaN;
};

test('treats a fast processor like the reference', () => {
  expect(slowness(processor(0.5))).toBe(1);
});

test('returns 3 for a processor that is three times slower', () => {
  expect(slowness(processor(9.6))).toBeCloseTo(3);
});

test('returns at most 8', () => {
  expect(slowness(processor(10_000))).toBe(8);
});

test('measures this machine', () => {
  expect(slowness()).toBeGreaterThanOrEqual(1);
  expect(slowness()).toBeLessThanOrEqual(8);
});
