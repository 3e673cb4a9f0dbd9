import { CpuBudget } from './cpu-budget';

function isSpentWithin(budget: CpuBudget, steps: number): boolean {
  return Array.from({ length: steps }, () => budget.isSpent()).includes(true);
}

test('is spent by processor time alone', () => {
  let cpuMs = 100;
  const budget = new CpuBudget(50, () => cpuMs);
  expect(isSpentWithin(budget, 1_000)).toBe(false);
  cpuMs = 149;
  expect(isSpentWithin(budget, 1_000)).toBe(false);
  cpuMs = 151;
  expect(isSpentWithin(budget, 64)).toBe(true);
});

test('work without end is noticed', () => {
  const budget = new CpuBudget(20);
  let steps = 0;
  while (!budget.isSpent()) steps++;
  expect(steps).toBeGreaterThan(0);
});
