import { JsonTextError, nearestOffset, positionAt, valueOffsets } from './json-text';

test.each([
  ['{"a": 1,}', 'there is a comma before }', 1, 9],
  ['{"a": [1,\n]}', 'there is a comma before ]', 2, 1],
  ['{\n "line": "^\\S+"}', '\\S is not an escape in JSON: double the backslash, as in \\\\S', 2, 12],
  ['{"a": "x\ny"}', 'a double quote is missing, or a tab is not written as \\t', 1, 9],
  ['{a: 1}', 'a name in double quotes is expected', 1, 2],
  ['{"a" 1}', 'a colon is expected', 1, 6],
  ['{"a": 1 "b": 2}', 'a comma or } is expected', 1, 9],
  ["{'a': 1}", 'a name in double quotes is expected', 1, 2],
  ['{"a": \'b\'}', 'strings need double quotes', 1, 7],
  ['{"a": 1} // x', 'there is more text after the end', 1, 10],
  ['{"a": /* x */ 1}', 'comments are not allowed', 1, 7],
  ['{"a": nul}', 'a value is expected', 1, 7],
  ['{"a": ', 'the text ends too early', 1, 7],
  ['{"a": "b', 'the text ends too early', 1, 9],
  ['', 'the text ends too early', 1, 1],
  ['['.repeat(10_000), 'the text is nested too deeply', 1, 102],
])('%s: %s', (text, message, line, column) => {
  expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  let thrown: unknown;
  try {
    valueOffsets(text);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(JsonTextError);
  const { offset, message: said } = thrown as JsonTextError;
  expect([said, positionAt(text, offset)]).toEqual([message, { line, column }]);
});

test('finds values, and the nearest value around a missing value', () => {
  const text = '{\n  "a/b": [1, { "c": "d\\u0041\\n" }],\n  "e": {}, "f": -1.5e3, "g": [true, null, ""]\n}';
  const offsets = valueOffsets(text);
  const lineOf = (pointer: string) => {
    const offset = nearestOffset(offsets, pointer);
    return offset === undefined ? undefined : positionAt(text, offset).line;
  };
  expect(['/a~1b/1/c', '/a~1b/7/x', '/e/type', '/g/2', '/other'].map(lineOf)).toEqual([
    2,
    2,
    3,
    3,
    undefined,
  ]);
});
