import fc from 'fast-check';
import { decimalOf, negated, plus, printDecimal, readDecimal, timesIn, zero } from './decimal';

const printed = (...values: number[]) => printDecimal(values.map(decimalOf).reduce(plus, zero));

test.each([
  [[0.1, 0.2], '0.3'],
  [[0.5, 0.5], '1'],
  [[100], '100'],
  [[-0.05], '-0.05'],
  [[-0], '0'],
  [[1e-7, 2e-7], '0.0000003'],
  [[1.5e-10], '0.00000000015'],
  [[1e21, 0.1], '1000000000000000000000.1'],
  [[9007199254740991, 9007199254740991, 0.5], '18014398509481982.5'],
  [[5e-324, 1], `1.${'0'.repeat(323)}5`],
])('%j add up to %s', (values, sum) => expect(printed(...values)).toBe(sum));

test.each([
  [0.3, 0.1, 3],
  [99.99, 100, 0],
  [200, 100, 2],
  [-250, 100, 0],
  [9007199254740991, 0.5, 18014398509481982],
])('%d contains %d times %d', (value, divisor, count) =>
  expect(timesIn(decimalOf(value), decimalOf(divisor))).toBe(count),
);

test('prints every number so that it can be parsed back', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = printed(value);
      expect(text).toMatch(/^-?\d+(\.\d*[1-9])?$/);
      expect(Number(text)).toBe(value === 0 ? 0 : value);
      expect(printDecimal(readDecimal(text))).toBe(text);
      expect(printDecimal(plus(decimalOf(value), negated(decimalOf(value))))).toBe('0');
    }),
  );
});

test.each(['1e1000000', '1e-1000000', '1.', 'NaN', ''])('does not read %j', (text) =>
  expect(() => readDecimal(text)).toThrow('not a decimal number'),
);
