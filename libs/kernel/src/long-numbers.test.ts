import { longNumber, parseLongNumbersAsText } from './long-numbers';

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

test.each(['1e400', '[ -12345678901234567]', '{"a": 0.1234567890123456}', '[1,\n1E-400]'])(
  'looks closely at %s',
  (text) => {
    expect(text).toMatch(longNumber);
  },
);

test.each(['{"id":"0190-3e412-9"}', '["1234567890123456"]', '{"at":"2026-11-28T10:00:00.000Z"}', '[1.5e10]'])(
  'parses %s without searching it for numbers',
  (text) => {
    expect(text).not.toMatch(longNumber);
  },
);
