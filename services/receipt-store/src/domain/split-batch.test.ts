import { splitLines, splitList } from './split-batch';

function split(text: string): { readonly texts: string[]; readonly outline: string } {
  const parts = splitList(Buffer.from(text));
  for (;;) {
    const { done, value } = parts.next();
    if (done) return { texts: value.texts.map(String), outline: String(value.outline) };
  }
}

test.each([
  ['{"receipts":[{"a":[1,{}]},{"b":"],\\"["} , 3 ]}', ['{"a":[1,{}]}', '{"b":"],\\"["}', '3'], [0, 1, 2]],
  ['{"receipts":[]}', [], []],
  ['{"receipts":[ \n ]}', [], []],
  ['{"receipts":[1],"receipts":[2,3]}', ['1', '2', '3'], [1, 2]],
])('splits the receipts of %s', (text, texts, numbers) => {
  const found = split(text);
  expect(found.texts).toEqual(texts);
  expect(JSON.parse(found.outline)).toEqual({ receipts: numbers });
});

test.each([
  '{"receipts":[1,,2]}',
  '{"receipts":[1,]}',
  '{"receipts":[1}',
  '{"receipts":[1]',
  '{"receipts":["a]}',
  '[',
])('detects a part that is not JSON in %s', (text) =>
  expect(() => JSON.parse(split(text).outline) as unknown).toThrow(SyntaxError),
);

test('splits lines at LF or CRLF, and skips empty lines', () => {
  expect(splitLines(Buffer.from('1\n\r\n{"a": 1}\r\n \t\n2')).map(String)).toEqual(['1', '{"a": 1}', '2']);
  expect(splitLines(Buffer.from('\n\n'))).toEqual([]);
});

test('rejects the 501st receipt before it reads the rest', () => {
  const many = (count: number) => Array.from({ length: count }, () => '1');
  expect(splitLines(Buffer.from(many(500).join('\n')))).toHaveLength(500);
  expect(() => splitLines(Buffer.from(many(501).join('\n')))).toThrow(
    'a batch can have at most 500 receipts',
  );
  expect(split(`{"receipts":[${many(500).join()}]}`).texts).toHaveLength(500);
  expect(() => split(`{"receipts":[${many(501).join()}, broken`)).toThrow(
    'a batch can have at most 500 receipts',
  );
});
