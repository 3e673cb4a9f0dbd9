import { groupBy } from './group-by';

test('groups keep the order of their items and omit items without a key', () => {
  const groups = groupBy([1, 2, 3, 4, 5], (n) => (n === 5 ? undefined : n % 2));
  expect([...groups]).toEqual([
    [1, [1, 3]],
    [0, [2, 4]],
  ]);
});
