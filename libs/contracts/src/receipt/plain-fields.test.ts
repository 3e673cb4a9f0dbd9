import { fullReceipt } from '../testing/full-receipt';
import { plainFields, plainValues } from './plain-fields';
import { postedReceipt } from './posted-receipt';
import { returnedReceipt } from './returned-receipt';

type PlainName = keyof typeof plainFields;

test('returns plain fields as posted, and null if missing', () => {
  const posted = postedReceipt.parse({ ...fullReceipt, net: undefined });
  const expected = Object.keys(plainFields).map((name) => [
    name,
    name === 'net' ? null : fullReceipt[name as PlainName],
  ]);
  expect(plainValues(posted)).toEqual(Object.fromEntries(expected));
});

test.each(Object.entries(plainFields))('describes %s, and returns it with the same type', (name, field) => {
  expect(field.description).toMatch(/\.$/);
  const returned = returnedReceipt.shape[name as keyof typeof plainFields];
  for (const value of [fullReceipt[name as keyof typeof plainFields], null]) {
    expect(field.safeParse(value).success).toBe(true);
    expect(returned.safeParse(value).success).toBe(true);
  }
  expect(returned.safeParse(undefined).success).toBe(false);
  expect(returned.safeParse({}).success).toBe(false);
});
