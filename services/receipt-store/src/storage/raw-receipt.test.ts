import { BSON } from 'mongodb';
import { readRaw } from './raw-receipt';

test('reads texts, numbers, times and null, and leaves the text of the receipt as bytes', () => {
  const text = '{"name":"Café crème ☕"}';
  const facts = {
    _id: 'ä1',
    arrival: 7,
    large: 2 ** 40,
    total: 1.5,
    at: new Date(1_000),
    none: null,
  };
  const raw = BSON.serialize({ ...facts, text });
  const { text: bytes, ...read } = readRaw<typeof facts & { readonly text: string }>(raw);
  expect(read).toEqual(facts);
  expect(bytes.toString()).toBe(text);
  expect(bytes.buffer).toBe(raw.buffer);
});

test('a 64-bit integer is a number, and an absent text stays absent', () => {
  expect(readRaw(BSON.serialize({ arrival: BSON.Long.fromNumber(2 ** 40) }))).toEqual({ arrival: 2 ** 40 });
});

test('rejects a field that it cannot read', () => {
  expect(() => readRaw(BSON.serialize({ items: [] }))).toThrow('BSON type 4');
});
