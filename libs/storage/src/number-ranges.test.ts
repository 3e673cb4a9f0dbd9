import fc from 'fast-check';
import { NumberRanges } from './number-ranges';

test('contains exactly the numbers that were added, regardless of order and repetition', () => {
  const numbers = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 80 });
  fc.assert(
    fc.property(numbers, fc.integer({ min: 0, max: 60 }), (added, mark) => {
      const ranges = new NumberRanges();
      for (const number of added) ranges.add(number);
      const known = new Set(added);
      for (let number = 0; number <= 61; number++) expect(ranges.has(number)).toBe(known.has(number));
      ranges.dropUpTo(mark);
      for (let number = 0; number <= 61; number++)
        expect(ranges.has(number)).toBe(number > mark && known.has(number));
      const above = [...known].filter((number) => number > mark).sort((a, b) => a - b);
      expect(ranges.lowest?.from).toBe(above[0]);
      let to = above[0];
      while (to !== undefined && known.has(to + 1)) to++;
      expect(ranges.lowest?.to).toBe(to);
    }),
  );
});

test('contains whole ranges, even if they overlap known ranges', () => {
  const range = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.nat({ max: 9 }));
  fc.assert(
    fc.property(fc.array(range, { maxLength: 30 }), (added) => {
      const ranges = new NumberRanges();
      const known = new Set<number>();
      for (const [from, more] of added) {
        ranges.add(from, from + more);
        for (let number = from; number <= from + more; number++) known.add(number);
      }
      for (let number = 0; number <= 71; number++) expect(ranges.has(number)).toBe(known.has(number));
      const gaps = ranges.all.slice(1).map(({ from }, i) => from - (ranges.all[i]?.to ?? 0));
      expect(gaps.every((gap) => gap > 1)).toBe(true);
    }),
  );
});

test('drops the highest ranges instead of growing without limit', () => {
  const ranges = new NumberRanges();
  for (let number = 2; number <= 5_000; number += 2) ranges.add(number);
  expect([ranges.has(2), ranges.has(2_000), ranges.has(4_000)]).toEqual([true, true, false]);
  // The limit drops the highest ranges, never the lowest, which the watermark needs next.
  ranges.add(1);
  expect(ranges.lowest).toEqual({ from: 1, to: 2 });
});
