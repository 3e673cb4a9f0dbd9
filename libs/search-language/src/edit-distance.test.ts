import fc from 'fast-check';
import { automaticEdits, withinEdits } from './edit-distance';

/** The textbook algorithm with the complete table, as the reference. */
function distance(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => i || j),
  );
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      table[i]![j] = Math.min(table[i - 1]![j]! + 1, table[i]![j - 1]! + 1, table[i - 1]![j - 1]! + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        table[i]![j] = Math.min(table[i]![j]!, table[i - 2]![j - 2]! + 1);
      }
    }
  }
  return table[a.length]![b.length]!;
}

test('equals the result of the full table', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 7 });
  fc.assert(
    fc.property(text, text, fc.constantFrom(0, 1, 2), (a, b, edits) => {
      expect(withinEdits(a, b, edits)).toBe(distance(a, b) <= edits);
    }),
    { numRuns: 5_000 },
  );
});

test('counts letters as code points, and a transposition as one edit', () => {
  expect(withinEdits('😀a', 'a😀', 1)).toBe(true);
  expect(withinEdits('shirt', 'shrit', 1)).toBe(true);
  expect(withinEdits('shirt', 'short', 0)).toBe(false);
});

test('chooses the distance by the length of a word', () => {
  expect(['a', 'ab', 'abc', 'abcde', 'abcdef'].map(automaticEdits)).toEqual([0, 0, 1, 1, 2]);
});
