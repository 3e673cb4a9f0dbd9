import fc from 'fast-check';
import { afterPrefix, compareText, sortable } from './search-terms';

const numbers = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer()).map((n) => n + 0);

test('sorts the terms of numbers like the numbers', () => {
  fc.assert(
    fc.property(numbers, numbers, (a, b) => {
      expect(Math.sign(compareText(sortable(a), sortable(b)))).toBe(Math.sign(a < b ? -1 : a > b ? 1 : 0));
    }),
  );
});

test('creates short terms for whole numbers with a few digits', () => {
  for (const n of [0, 1, 2, 3, 12, 100, 999]) expect(sortable(n).length).toBeLessThanOrEqual(4);
});

test('includes exactly the strings with a prefix in its range', () => {
  const texts = fc.string({ unit: 'grapheme', maxLength: 4 });
  fc.assert(
    fc.property(texts, texts, (prefix, text) => {
      const end = afterPrefix(prefix);
      const isWithin = compareText(text, prefix) >= 0 && (end === undefined || compareText(text, end) < 0);
      expect(isWithin).toBe(text.startsWith(prefix));
      expect(end === undefined || compareText(prefix + text, end) < 0).toBe(true);
    }),
  );
  expect(afterPrefix('a\u{d7ff}')).toBe('a\u{e000}');
  expect(afterPrefix('a\u{10ffff}')).toBe('b');
  expect(afterPrefix('\u{10ffff}')).toBeUndefined();
});
