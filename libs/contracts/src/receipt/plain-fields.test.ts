import { fullReceipt } from '../testing/full-receipt';
import { plainFields, plainValues } from './plain-fields';
import { postedReceipt } from './posted-receipt';
import { returnedReceipt } from './returned-receipt';

test('returns plain fields as they were posted, null if missing', () => {
  const posted = postedReceipt.parse({ ...fullReceipt, net: undefined });
  expect(plainValues(posted)).toEqual({ till_uuid: 'till-1', subtotal: 9, net: null, gross: 11 });
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
