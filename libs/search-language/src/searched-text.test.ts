import type { Field } from './fields';
import { RecurringTexts, searchedText } from './searched-text';

const field = (code: string, more: Partial<Field> = {}): Field => ({
  path: code,
  type: 'partial',
  code,
  level: 'item',
  read: () => null,
  ...more,
});

test('splits text into words and separators, in order', () => {
  expect(searchedText(field('in'), 'Red shirt * 2')).toEqual({
    tokens: ['in:red', 'in:shirt', 'in:2', 'in#*'],
    phrases: ['in| red shirt 2 ', 'in#*'],
    commonSymbols: '',
  });
  expect(searchedText(field('in'), '* **')).toEqual({
    tokens: ['in?', 'in#*'],
    phrases: ['in#* **'],
    commonSymbols: '',
  });
  expect(searchedText(field('id', { commonSymbols: '.@' }), 'a@b+c')).toMatchObject({
    tokens: ['id:a', 'id:b', 'id:c', 'id#+'],
    commonSymbols: '@',
  });
});

test('returns the terms of each field, even if several fields have the same text', () => {
  const texts = new RecurringTexts();
  for (let round = 0; round < 2; round++) {
    for (const code of ['i.a', 'i.ab', 'in', 'im']) {
      for (const text of ['b', 'bc', ':b', 'c', 'x'.repeat(500)]) {
        expect(texts.get(field(code), text)).toEqual(searchedText(field(code), text));
      }
    }
  }
  expect(texts.get(field('in'), 'b')).toBe(texts.get(field('in'), 'b'));
});

test('keeps frequent texts in the cache, no matter how many others there are', () => {
  const texts = new RecurringTexts();
  const known = texts.get(field('in'), 'shirt');
  for (let i = 0; i < 10_000; i++) {
    texts.get(field('in'), `article ${i}`);
    if (i % 1_000 === 0) expect(texts.get(field('in'), 'shirt')).toBe(known);
  }
});
