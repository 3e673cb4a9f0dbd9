import { MongoError } from '../errors';
import { patternOf } from './pattern';

const matches = (pattern: string, text: string, options = ''): boolean =>
  patternOf(pattern, options).test(text);

/**
 * The expected results are those of pcre2test with the option utf and, for i, m and s, caseless, multiline and dotall.
 */
test.each([
  ['a$', 'a\n', true],
  ['a$', 'a\n\n', false],
  ['a\\z', 'a\n', false],
  ['^b', 'a\nb', false],
  ['a\\sb', 'a\u00a0b', false],
  ['a\\Sb', 'a\u00a0b', true],
  ['a[\\s]b', 'a b', true],
  ['^.$', '\u{1f600}', true],
  ['^.$', '\r', true],
  ['^.$', '\n', false],
  ['^[[:alpha:]]+$', 'abC', true],
  ['^[[:alpha:]]+$', 'ab1', false],
  ['^[^[:digit:]]$', 'x', true],
  ['^[[:punct:]]+$', '!/[{~', true],
  ['^[]x]+$', ']x', true],
  ['^[^]x]$', 'y', true],
  ['^[^]x]$', ']', false],
  ['a\\Rb', 'a\r\nb', true],
  ['a{b', 'a{b', true],
  ['a]b}', 'a]b}', true],
  ['a\\-\\_\\@b', 'a-_@b', true],
  ['^[a\\-c]+$', 'a-c', true],
  ['^a{2,3}$', 'aaa', true],
  ['(?<n>a)\\k<n>', 'aa', true],
  ['(a)\\1', 'aa', true],
  ['^(?<n>a)$', 'a', true],
  ['^(?P<n>a)$', 'a', true],
  ['\\x{41}', 'A', true],
  ['(a$|b\\Z)|c', 'b\n', true],
  ['a$\\nb', 'a\nb', false],
  ['a(?=\\n)$', 'a\n', true],
  ['(a$)?b', 'ab', true],
  ['(?:a|b\\Z)+$', 'ab\n', true],
  ['^[\\x41-\\x43]+\\z', 'ABC', true],
  ['\\b\u00e9', '\u00e9', false],
  ['\u00c9', '\u00e9', false],
  ['a(?=b)', 'ab', true],
  ['a(?!b)', 'ab', false],
  ['(?<=a)b', 'ab', true],
  ['(?<!a)b', 'ab', false],
  ['^ab(?:c|d)', 'xabc', false],
  ['^ab\\|c', 'ab|c', true],
  ['^a|b', 'b', true],
  ['^ab?c', 'ac', true],
  ['^a{1001}$', 'a'.repeat(1_001), true],
  ['^\\d+\\w\\b', '12x', true],
])('%j on %j: %s', (pattern, text, expected) => {
  expect(matches(pattern, text)).toBe(expected);
});

test.each([
  ['A$', 'xa\nb', 'im', true],
  ['^b', 'a\nb', 'm', true],
  ['^b', 'a\rb', 'm', false],
  ['^[b]+$', 'a\nbb\nc', 'm', true],
  ['^$', 'a\n', 'm', false],
  ['^$', 'a\n\nb', 'm', true],
  ['a$\\nb', 'a\nb', 'm', true],
  ['\u00c9', '\u00e9', 'i', true],
  ['^AB', 'abc', 'i', true],
  ['a.b', 'a\nb', 's', true],
  ['a b # a comment', 'ab', 'x', true],
])('%j on %j with %s: %s', (pattern, text, options, expected) => {
  expect(matches(pattern, text, options)).toBe(expected);
});

test.each([
  '\\Qa.b\\E',
  '\\p{L}',
  '\\PL',
  '\\X',
  '\\Ka',
  '\\G',
  '\\N',
  '[\\S]',
  '[[:nothing:]]',
  '(?>a)',
  'a++',
  '\\u0041',
  '\\x{1F600}',
  '(?R)',
  '(?s:a)',
  '(?',
])('what neither engine can say is refused: %s', (pattern) => {
  let thrown: unknown;
  try {
    patternOf(pattern, '');
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(MongoError);
  expect((thrown as MongoError).code).toBe(51091);
});

test.each(['^(a+)+$', '(a|a)*b', '(.*)*x', '(a*)*(a*)*b'])('%s has its answer on a long text', (pattern) => {
  // An engine that tries one way after the other would need longer than the universe is old.
  expect(matches(pattern, `${'a'.repeat(10_000)}!`)).toBe(false);
});

test.each(['^(a+)+(?=b)$', '(a+)+\\1c'])('%s is given up on a long text', (pattern) => {
  const text = `${'a'.repeat(10_000)}!`;
  expect(() => matches(pattern, text)).toThrow(expect.objectContaining({ code: 50 }));
  expect(matches(pattern, 'x')).toBe(false);
});
