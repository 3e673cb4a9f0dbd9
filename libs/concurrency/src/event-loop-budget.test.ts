import { countByTurn } from '@receipts/testing';
import { EventLoopBudget, runInTurns } from './event-loop-budget';

test('runs work that fits into a turn immediately, and throws its errors', () => {
  const budget = new EventLoopBudget(10);
  expect(budget.run(4, () => 'a')).toBe('a');
  const fails = () => {
    throw new Error('no');
  };
  expect(() => budget.run(6, fails)).toThrow('no');
});

test('limits the work of a turn, regardless of the number of sources', async () => {
  const budget = new EventLoopBudget(10);
  const { add, sums } = countByTurn();
  await Promise.all(Array.from({ length: 50 }, async () => budget.run(3, () => add(3))));
  expect(sums().reduce((sum, cost) => sum + cost)).toBe(150);
  expect(Math.max(...sums())).toBeLessThanOrEqual(10);
});

test('gives a piece that exceeds a turn its own turn, and makes later pieces wait', async () => {
  const budget = new EventLoopBudget(10);
  const { add, sums } = countByTurn();
  await Promise.all([1, 25, 25, 2].map(async (cost) => budget.run(cost, () => add(cost))));
  expect(sums()).toEqual([1, 25, 25, 2]);
});

test('moves the rest of a turn to the next turn if a piece costs more than expected', async () => {
  const budget = new EventLoopBudget(10);
  const { add, sums } = countByTurn();
  const work = () => {
    budget.charge(20);
    add(1);
  };
  await Promise.all([1, 1, 1].map(async (cost) => budget.run(cost, work)));
  expect(sums()).toEqual([1, 1, 1]);
});

test('passes a failure in a later turn to the caller', async () => {
  const budget = new EventLoopBudget(1);
  await budget.run(1, () => undefined);
  const failing = budget.run(1, () => {
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
});

test('alternates between several jobs, with no more parts per turn than fit', async () => {
  const budget = new EventLoopBudget(10);
  const { add, sums } = countByTurn();
  const order: string[] = [];
  function* parts(name: string): Generator<number, string> {
    for (let part = 0; part < 3; part++) {
      order.push(name);
      add(6);
      yield 6;
    }
    return name;
  }
  expect(await Promise.all([runInTurns(parts('a'), budget, 6), runInTurns(parts('b'), budget, 6)])).toEqual([
    'a',
    'b',
  ]);
  expect(order).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
  expect(sums()).toEqual([6, 6, 6, 6, 6, 6]);
});
