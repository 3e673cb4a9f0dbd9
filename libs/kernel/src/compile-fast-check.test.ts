import { z } from 'zod';
import { compileFastCheck } from './compile-fast-check';

const schema = z.strictObject({
  name: z.string().min(2),
  lines: z.array(z.strictObject({ n: z.number().gt(0) })),
});

test.each([
  [true, { name: 'ab', lines: [{ n: 1 }] }],
  [false, { name: 'a', lines: [] }],
  [false, { name: 'ab', lines: [{ n: 0 }] }],
  [false, { name: 'ab', lines: [], other: 1 }],
  [false, { name: 'ab' }],
])('accepts what the schema accepts: %s %j', (isValid, value) => {
  expect(compileFastCheck(schema)(value)).toBe(isValid);
  expect(schema.safeParse(value).success).toBe(isValid);
});

/** If this fails, `z.compile` may be as fast as `compileFastCheck`: measure both again. */
test('z.compile copies the values that it checks', () => {
  const value = { name: 'ab', lines: [] };
  expect(z.compile(schema).parse(value)).toEqual(value);
  expect(z.compile(schema).parse(value)).not.toBe(value);
});
