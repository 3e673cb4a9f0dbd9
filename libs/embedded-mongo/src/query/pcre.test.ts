import { MongoError } from '../errors';
import { patternOf } from './pattern';

const matches = (pattern: string, text: string, options = ''): boolean =>
  patternOf(pattern, options).regex.test(text);

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
  ['^\\d+\\w\\b', '12x', true],
])('%j on %j: %s', (pattern, text, expected) => {
  expect(matches(pattern, text)).toBe(expected);
});

test.each([
  ['A$', 'xa\nb', 'im', true],
  ['^b', 'a\nb', 'm', true],
  ['^b', 'a\rb', 'm', false],
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
  '\\x{41}',
  '(?R)',
  '(?P<n>a)',
  '(?',
])('what JavaScript cannot say is refused: %s', (pattern) => {
  let error: unknown;
  try {
    patternOf(pattern, '');
  } catch (e) {
    error = e;
  }
  expect(error).toBeInstanceOf(MongoError);
  expect((error as MongoError).code).toBe(51091);
});
