import { analyse, literalOf, prefixCharactersMax, textCharactersMax, tokenText, wordsOf } from './text';

test.each([
  ['Red cotton shirt', ['red', 'cotton', 'shirt']],
  ['  joe.smith@example.com ', ['joe', 'smith', 'example', 'com']],
  ['Café CRÈME', ['cafe', 'creme']],
  ['Cafe\u0301', ['cafe']],
  ['ﬁn ½ ２', ['fin', '1', '2', '2']],
  ['İzmir', ['izmir']],
  ['ΣΊΣΥΦΟΣ', ['σισυφοσ']],
  ['Straße', ['straße']],
  ['日本語のレシート', ['日本語', 'の', 'レシート']],
  ['ใบเสร็จรับเงิน', undefined],
  ['привет, мир', ['привет', 'мир']],
  ['* - €', []],
  ['', []],
])('finds the words of %j', (text, expected) => {
  const words = wordsOf(text);
  if (expected) expect(words).toEqual(expected);
  // Thai is written without spaces, but several words must be found.
  else expect(words.length).toBeGreaterThan(1);
});

const symbolsOf = (text: string) => analyse(text).symbols;

test('treats the text between words as symbols', () => {
  expect(symbolsOf('Blue socks * sale')).toEqual(['*']);
  expect(symbolsOf('joe.smith@example.com')).toEqual(['.', '@', '.']);
  expect(symbolsOf('a  *\t*  b…')).toEqual(['* *', '...']);
  expect(symbolsOf('plain words')).toEqual([]);
  expect(literalOf(' \n* ')).toBe('*');
});

test('searches only the beginning of a long text', () => {
  const text = `${'a '.repeat(textCharactersMax)}end`;
  expect(wordsOf(text)).toHaveLength(textCharactersMax / 2);
});

test('shortens long values in such a way that they still differ and prefixes still match', () => {
  const long = 'x'.repeat(200);
  expect(tokenText(long)).toBe(long);
  const first = tokenText(`${long}1`);
  const second = tokenText(`${long}2`);
  expect(first).not.toBe(second);
  expect(first.startsWith('x'.repeat(prefixCharactersMax))).toBe(true);
  expect(first.length).toBeGreaterThan(200);
  expect(first.length).toBeLessThan(210);
  const paired = tokenText(`${'x'.repeat(prefixCharactersMax - 1)}😀${long}`);
  expect(paired.isWellFormed()).toBe(true);
});
