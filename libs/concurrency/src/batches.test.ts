import { countThatFits, fillMessages } from './batches';

const limits = { itemsMax: 3, bytesMax: 100 };
const sizeOf = (size: number) => size;

test('fills messages up to either limit', () => {
  expect(fillMessages([1, 1, 1, 1], limits, sizeOf)).toEqual([[1, 1, 1], [1]]);
  expect(fillMessages([60, 40, 1], limits, sizeOf)).toEqual([[60, 40], [1]]);
  expect(fillMessages([], limits, sizeOf)).toEqual([]);
});

test('sends an item that exceeds the size limit alone', () => {
  expect(fillMessages([1, 500, 1], limits, sizeOf)).toEqual([[1], [500], [1]]);
  expect(countThatFits([500, 1], limits, sizeOf)).toBe(1);
});
