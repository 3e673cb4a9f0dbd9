import { z } from 'zod';
import { characters } from './characters';

const name = characters(1, 3);

test.each([
  ['a', true],
  ['abc', true],
  ['abcd', false],
  ['', false],
  ['😀😀😀', true],
  ['😀😀😀😀', false],
  ['e\u0301é', true],
])('%j has 1 to 3 characters: %s', (text, fits) => {
  expect(name.safeParse(text).success).toBe(fits);
});

test('the API description states the maximum length, and the error for longer strings has zod’s form', () => {
  expect(z.toJSONSchema(name)).toMatchObject({ type: 'string', minLength: 1, maxLength: 3 });
  expect(name.safeParse('abcd').error?.issues).toEqual(z.string().max(3).safeParse('abcd').error?.issues);
});
