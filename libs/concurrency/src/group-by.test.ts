import { groupBy } from './group-by';

test('keeps the order of items in groups and omits items without a key', () => {
  const groups = groupBy([1, 2, 3, 4, 5], (n) => (n === 5 ? undefined : n % 2));
  expect([...groups]).toEqual([
    [1, [1, 3]],
    [0, [2, 4]],
  ]);
});
