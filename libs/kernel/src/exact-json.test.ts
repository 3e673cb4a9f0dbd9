import { longNumbersIn, parseExactly, printExactly } from './exact-json';

const roundTrip = (text: string): string => {
  const parsed = parseExactly(text);
  return printExactly({ kept: parsed }, parsed).slice('{"kept":'.length, -1);
};

test.each([
  '{"a":12345678901234567890}',
  '{"a":12345678901234567890,"b":12345678901234567891,"c":12345678901234567890}',
  '{"a":0.1000000000000000055,"b":0.1}',
  '{"a":1.0000000000000000001,"b":1,"c":[1,1.0000000000000000002]}',
  '{"a":-98765432109876543210.123456789}',
  '{"a":1e-400,"b":0,"c":-1e-401}',
  '{"a":"12345678901234567890 \\" 1234567890123456789","b":9007199254740993}',
  '[9007199254740993,"x"]',
])('keeps every digit of %s', (text) => {
  expect(roundTrip(text)).toBe(text);
});

test.each([
  '{"a":0.30000000000000004}',
  '{"a":"12345678901234567890"}',
  '{"a":12345678901234567000}',
  '{"a":1e100}',
])('changes nothing in %s, which a double holds', (text) => {
  const parsed = parseExactly(text);
  expect(longNumbersIn(parsed)).toEqual([]);
  expect(parsed).toEqual(JSON.parse(text));
});

test('parses a long number to a double next to it, for checks and sums', () => {
  const { a } = parseExactly('{"a":1234567890123456.789}') as { a: number };
  expect(Math.abs(a - 1234567890123456)).toBeLessThan(2);
});

test('tells two texts apart whose long numbers differ in the last digit', () => {
  const of = (text: string) => longNumbersIn(parseExactly(text));
  expect(of('[12345678901234567890]')).not.toEqual(of('[12345678901234567891]'));
});

test('prints numbers of two texts, and refuses those that it cannot tell apart', () => {
  const before = parseExactly('{"a":12345678901234567890}');
  const patch = parseExactly('[98765432109876543210]');
  const after = { ...(before as object), b: (patch as unknown[])[0] };
  expect(printExactly(after, before, patch)).toBe('{"a":12345678901234567890,"b":98765432109876543210}');
  expect(() => printExactly(after, before, parseExactly('[12345678901234567891]'))).toThrow();
});

test('leaves numbers beyond the range of a double to the checks', () => {
  expect(parseExactly('{"a":1e400}')).toEqual({ a: Infinity });
});

test('ends for numbers at the end of the range of a double, and leaves them to the checks', () => {
  const parsed = parseExactly(
    '[1.7976931348623157e308,1.79769313486231570001e308,-1.79769313486231570001e308]',
  );
  expect(parsed).toEqual([Number.MAX_VALUE, Infinity, -Infinity]);
});

test('looks at each double once for numbers that all round to the same', () => {
  const numbers = Array.from({ length: 10_000 }, (_, n) => `1.00000000000000000${n + 1}`);
  const text = `[${numbers.join()}]`;
  const startedAt = performance.now();
  expect(roundTrip(text)).toBe(text);
  // About 0.1 s; with a search from the beginning for each number, more than 10 s.
  expect(performance.now() - startedAt).toBeLessThan(3_000);
});

test('keeps a long number beside a string of many megabytes', () => {
  const text = `{"a":"${'x'.repeat(12 * 1024 * 1024)}","b":12345678901234567890}`;
  expect(roundTrip(text) === text).toBe(true);
});
