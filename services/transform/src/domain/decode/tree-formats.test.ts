import { decodeLines, decodePart } from '../../testing/printer-bytes';

describe('text', () => {
  const text = { type: 'text' } as const;

  test('a tab goes to its stop', async () => {
    expect(await decodeLines(text, 'TEA\t1\t2.00\n12345678\tB\n茶\tC')).toEqual([
      ['TEA     1       2.00', '12345678        B', '茶      C'],
    ]);
  });

  test('a form feed ends a part, and split none joins the parts', async () => {
    expect(await decodeLines(text, 'A\n\fB\n')).toEqual([['A'], ['B']]);
    expect(await decodeLines({ ...text, split: 'none' }, 'A\n\fB\n')).toEqual([['A', '\f', 'B']]);
  });

  test('a line that is printed twice in the same place counts once', async () => {
    expect(await decodeLines(text, 'TOTAL 5.00\rTOTAL 5.00\nB\n')).toEqual([['TOTAL 5.00', 'B']]);
  });
});

describe('xml in order', () => {
  test('every element is name, attributes, text and children', async () => {
    const xml = '<a x="1"> t <p:b xmlns:p="u">&lt;1</p:b><c/><b><![CDATA[<2>]]> </b> u</a>';
    const [part] = await decodePart({ type: 'xml', ordered: true }, xml);
    expect(part?.doc).toEqual({
      name: 'a',
      attributes: { x: '1' },
      text: ' t  u',
      children: [
        { name: 'b', attributes: {}, text: '<1', children: [] },
        { name: 'c', attributes: {}, text: '', children: [] },
        { name: 'b', attributes: {}, text: '<2> ', children: [] },
      ],
    });
  });

  test('prefixes are kept if the mapping wants them', async () => {
    const [part] = await decodePart(
      { type: 'xml', ordered: true, keep_prefixes: true },
      '<p:a xmlns:p="u"/>',
    );
    expect(part?.doc).toMatchObject({ name: 'p:a' });
  });
});

describe('csv', () => {
  const doc = async (text: string) => (await decodePart({ type: 'csv' }, text))[0]?.doc;

  test.each([',', ';', '\t', '|'])('the delimiter %j is found', async (sign) => {
    expect(await doc(`a${sign}b\n1${sign}2`)).toEqual([{ a: '1', b: '2' }]);
  });

  test('of columns with one name the second is name_2, the third name_3', async () => {
    expect(await doc('tax,tax,no,tax\n1,2,3,4')).toEqual([{ tax: '1', tax_2: '2', no: '3', tax_3: '4' }]);
    expect((await decodePart({ type: 'csv', header: ['a', 'a'] }, '1,2'))[0]?.doc).toEqual([
      { a: '1', a_2: '2' },
    ]);
  });

  test('a quote inside an unquoted value is a character', async () => {
    expect(await doc('name;size\nScreen 24" wide;5"\n"a ""b""";2')).toEqual([
      { name: 'Screen 24" wide', size: '5"' },
      { name: 'a "b"', size: '2' },
    ]);
    expect(await doc('24" a;24" b\n1;2')).toEqual([{ '24" a': '1', '24" b': '2' }]);
  });
});
