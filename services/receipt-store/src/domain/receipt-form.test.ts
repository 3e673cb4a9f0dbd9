import { converted, inPresentForm, receiptForm, type Upcast } from './receipt-form';

/** Two later formats as an example. */
const steps: readonly Upcast[] = [
  (receipt) => ({ tip: null, ...receipt }),
  ({ till, ...receipt }) => ({ ...receipt, till_uuid: till }),
];

test('returns a receipt in the current format byte for byte', () => {
  const stored = { text: '{"id": "1" }', form: receiptForm };
  expect(inPresentForm(stored)).toBe(stored);
});

test('returns a receipt in a later format and a document without text unchanged', () => {
  const later = { text: '{}', form: steps.length + 2 };
  const deleted = { deleted_at: 1 } as { readonly text?: string };
  expect(converted(later, steps)).toBe(later);
  expect(converted(deleted, steps)).toBe(deleted);
});

test.each([
  [1, { id: '1', till: 'a' }, { tip: null, id: '1', till_uuid: 'a' }],
  [2, { id: '1', tip: 2, till: 'a' }, { id: '1', tip: 2, till_uuid: 'a' }],
])('converts a receipt in format %i step by step, once', (form, receipt, expected) => {
  const stored = converted({ text: JSON.stringify(receipt), form }, steps);
  expect({ ...stored, text: JSON.parse(stored.text) as unknown }).toEqual({ text: expected, form: 3 });
  expect(converted(stored, steps)).toBe(stored);
});

test('keeps undocumented values', () => {
  const text = '{"extra":{"a.b":1,"__proto__":{"c":2}}}';
  expect(converted({ text, form: 1 }, steps).text).toContain('"extra":{"a.b":1,"__proto__":{"c":2}}');
});
