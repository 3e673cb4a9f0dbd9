import { RecurringTexts, searchedText } from './searched-text';

test('words in order, and what stands between them', () => {
  expect(searchedText('in', 'Red shirt * 2')).toEqual({
    tokens: ['in:red', 'in:shirt', 'in:2'],
    phrases: ['in| red shirt 2 ', 'in#*'],
  });
  expect(searchedText('in', '*')).toEqual({ tokens: ['in?'], phrases: ['in#*'] });
});

test('a text that comes again is the same, whichever field it stands in', () => {
  const texts = new RecurringTexts();
  for (let round = 0; round < 2; round++) {
    for (const code of ['i.a', 'i.ab', 'in', 'im']) {
      for (const text of ['b', 'bc', ':b', 'c', 'x'.repeat(500)]) {
        expect(texts.get(code, text)).toEqual(searchedText(code, text));
      }
    }
  }
  expect(texts.get('in', 'b')).toBe(texts.get('in', 'b'));
});

test('what is asked for again and again is remembered, however much else comes', () => {
  const texts = new RecurringTexts();
  const known = texts.get('in', 'shirt');
  for (let i = 0; i < 10_000; i++) {
    texts.get('in', `article ${i}`);
    if (i % 1_000 === 0) expect(texts.get('in', 'shirt')).toBe(known);
  }
});
