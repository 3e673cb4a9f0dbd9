import { slowness } from './slowness';

/** A processor that needs so long for the measurement. */
const processor = (takesMs: number) => {
  const times = [1_000, 1_000 + takesMs];
  return () => times.shift() ?? NaN;
};

test('a quick processor counts as the one that limits are meant for', () => {
  expect(slowness(processor(0.5))).toBe(1);
});

test('one that is three times slower gets three times as long', () => {
  expect(slowness(processor(9.6))).toBeCloseTo(3);
});

test('no machine is so slow that a mapping may run for ever', () => {
  expect(slowness(processor(10_000))).toBe(8);
});

test('this one is measured', () => {
  expect(slowness()).toBeGreaterThanOrEqual(1);
  expect(slowness()).toBeLessThanOrEqual(8);
});
