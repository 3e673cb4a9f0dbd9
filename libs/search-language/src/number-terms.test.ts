import { termsBetween } from './number-terms';
import { sortable } from './search-terms';

const numbers = [
  0,
  1,
  2,
  3,
  19.99,
  20,
  50,
  50.000001,
  1e6,
  1e6 + 1,
  -1,
  -0.25,
  -19.99,
  -1e-300,
  Number.MAX_VALUE,
  -Number.MAX_VALUE,
];
const ends = numbers.flatMap((value) => [
  { value, inclusive: true },
  { value, inclusive: false },
]);

type Bounds = Parameters<typeof termsBetween>[1];

const contains = ({ low, high }: Bounds, value: number): boolean =>
  (!low || (low.inclusive ? value >= low.value : value > low.value)) &&
  (!high || (high.inclusive ? value <= high.value : value < high.value));

/** How many of the terms a term meets. */
const meets = (terms: readonly (string | RegExp)[], term: string): number =>
  terms.filter((one) => (typeof one === 'string' ? one === term : one.test(term))).length;

const open = [undefined, ...ends];
const ranges = open.flatMap((low) => open.map((high) => ({ low, high })));

test('lists the terms of the numbers in a range, each once, and no others', () => {
  for (const range of ranges) {
    const terms = termsBetween('it<', range);
    for (const value of numbers) {
      const expected = contains(range, value) ? 1 : 0;
      const found = meets(terms, `it<${sortable(value)}`);
      if (found !== expected) throw new Error(`${JSON.stringify({ range, value, found })}`);
    }
    expect(terms.length).toBeLessThan(1_300);
  }
});

test('lists no terms of another field or mark', () => {
  for (const low of open) {
    const terms = termsBetween('t.<', { low });
    for (const term of ['tx<k', 't.=k', 't.>k', 'a t.<k', '|t.<k', 't.']) expect(meets(terms, term)).toBe(0);
  }
});
