import { codeOf } from '../testing/documents';
import { patternOf } from './pattern';

const matches = (pattern: string, text: string): boolean => patternOf(pattern).test(text);

/** The expected results are those of pcre2test with the option utf. */
test.each([
  ['a$', 'a\n', true],
  ['a$', 'a\n\n', false],
  ['^b', 'a\nb', false],
  ['^.$', '\u{1f600}', true],
  ['^.$', '\r', true],
  ['^.$', '\n', false],
  ['^.\\d', '\u{1f600}1', true],
  ['^[^]x]$', 'y', true],
  ['^[^]x]$', ']', false],
  ['^[[]a$', '[a', true],
  ['^[:?]+', ':?', true],
  ['a\\-\\_\\@b', 'a-_@b', true],
  ['^[a\\-c]+$', 'a-c', true],
  ['^[\\]\\^]+', '^]', true],
  ['^a{2,3}$', 'aaa', true],
  ['(a$|b$)|c', 'b\n', true],
  ['a$\\\nb', 'a\nb', false],
  ['(a$)?b', 'ab', true],
  ['\\b\u00e9', '\u00e9', false],
  ['\u00c9', '\u00e9', false],
  ['a(?=b)', 'ab', true],
  ['a(?!b)', 'ab', false],
  ['^ab(?:c|d)', 'xabc', false],
  ['^ab\\|c', 'ab|c', true],
  ['^a|b', 'b', true],
  ['^ab?c', 'ac', true],
  ['^\\d+\\w\\b', '12x', true],
])('%j on %j: %s', (pattern, text, expected) => {
  expect(matches(pattern, text)).toBe(expected);
});

test.each([
  '\\Qa.b\\E',
  '\\p{L}',
  '\\X',
  '\\s',
  '\\z',
  '\\x41',
  '\\1',
  '\\n',
  '[\\s]',
  '[[:alpha:]]',
  '[\\b]',
  '(?>a)',
  'a++',
  '(?<n>a)',
  '(?<=a)b',
  '(?i)a',
  '(?',
  '(',
  '[a',
  '*',
])('rejects patterns that the engines interpret differently: %s', (pattern) => {
  expect(codeOf(() => patternOf(pattern))).toBe(51091);
});

test.each(['^(a+)+b', '(a|a)*b', '(.*)*x', '(a*)*(a*)*b'])('evaluates %s on a long text', (pattern) => {
  // A backtracking engine would take longer than the age of the universe.
  expect(matches(pattern, `${'a'.repeat(10_000)}!`)).toBe(false);
});

test.each(['^(a+)+(?=b)$', '^(a+)+b$'])('gives up on %s on a long text', (pattern) => {
  const text = `${'a'.repeat(10_000)}!`;
  expect(() => matches(pattern, text)).toThrow(expect.objectContaining({ code: 50 }));
  expect(matches(pattern, 'x')).toBe(false);
});
