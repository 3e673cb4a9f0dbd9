import fc from 'fast-check';
import { isDeeperThan } from './json-depth';
import { endOfString } from './json-scan';

const afterString = (text: string) => endOfString(Buffer.from(text), 1);

it.each([
  ['""', 1],
  ['"abc" "', 4],
  [String.raw`"\"" "`, 3],
  [String.raw`"\\" "`, 3],
  [`"${'x'.repeat(31)}" "`, 32],
  [`"${'x'.repeat(500)}" "`, 501],
  [`"${'x'.repeat(30)}${String.raw`\"`}${'y'.repeat(90)}" "`, 123],
  [`"${'x'.repeat(31)}${String.raw`\\`}" "`, 34],
  [`"${'x'.repeat(100)}${'\\'.repeat(40)}" "`, 141],
  [`"${'x'.repeat(100)}${'\\'.repeat(41)}"z" "`, 144],
])('finds the end of %j at %d', (text, end) => {
  expect(afterString(text)).toBe(end);
});

it('treats a string without an end as extending to the end of the text', () => {
  for (const text of [
    '"',
    '"abc',
    `"${'x'.repeat(200)}`,
    '"\\',
    `"${'x'.repeat(31)}\\`,
    `"${'x'.repeat(99)}\\"`,
  ])
    expect(afterString(text)).toBeGreaterThanOrEqual(text.length);
});

it('ends where the serialized string ends, regardless of its content', () => {
  const pieces = fc.constantFrom('"', '\\', 'x', 'long '.repeat(9), 'é', '漢', '[', '\n');
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
      const printed = Buffer.from(JSON.stringify(parts.join('')));
      expect(endOfString(Buffer.concat([printed, Buffer.from('" ["')]), 1)).toBe(printed.length - 1);
    }),
    { numRuns: 500 },
  );
});

it('ignores brackets in strings', () => {
  const nested = (inner: string) => Buffer.from(`[[${inner}]]`);
  expect(isDeeperThan(nested(JSON.stringify(`[{${'['.repeat(100)}"\\`)), 2)).toBe(false);
  expect(isDeeperThan(nested(`"${'x'.repeat(100)}",[]`), 2)).toBe(true);
});
