import { CpuBudget } from './cpu-budget';

function isSpentWithin(budget: CpuBudget, steps: number): boolean {
  return Array.from({ length: steps }, () => budget.isSpent()).includes(true);
}

test('counts only CPU time', () => {
  let cpuMs = 100;
  const budget = new CpuBudget(
    50,
    () => 1,
    () => cpuMs,
  );
  expect(isSpentWithin(budget, 1_000)).toBe(false);
  cpuMs = 149;
  expect(isSpentWithin(budget, 1_000)).toBe(false);
  cpuMs = 151;
  expect(isSpentWithin(budget, 64)).toBe(true);
});

test('allows more time on a slower processor, whose speed it measures once', () => {
  let cpuMs = 0;
  const slowness = jest.fn(() => 3);
  const budget = new CpuBudget(50, slowness, () => cpuMs);
  cpuMs = 50;
  expect(isSpentWithin(budget, 1_000)).toBe(false);
  expect(slowness).not.toHaveBeenCalled();
  cpuMs = 149;
  expect(isSpentWithin(budget, 1_000)).toBe(false);
  cpuMs = 151;
  expect(isSpentWithin(budget, 64)).toBe(true);
  expect(slowness).toHaveBeenCalledTimes(1);
});

test('detects an endless loop', () => {
  const budget = new CpuBudget(20, () => 1);
  let steps = 0;
  while (!budget.isSpent()) steps++;
  expect(steps).toBeGreaterThan(0);
});
