import { parseLongNumbersAsText } from './long-numbers';

test('parses long numbers as text', () => {
  const text =
    '{"a":12345678901234567890,"b":1.5,"c":1e400,"d":"9007199254740993","e":-0.12345678901234567891}';
  expect(parseLongNumbersAsText(text)).toEqual({
    a: '12345678901234567890',
    b: 1.5,
    c: '1e400',
    d: '9007199254740993',
    e: '-0.12345678901234567891',
  });
  expect(() => parseLongNumbersAsText('{"a":12345678901234567890')).toThrow(SyntaxError);
});
