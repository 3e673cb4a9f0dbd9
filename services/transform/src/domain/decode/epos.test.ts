import { decodeLines, decodePart } from '../../testing/printer-bytes';

const epos = { type: 'epos' } as const;
const namespace = 'http://www.epson-pos.com/schemas/2011/03/epos-print';
const document = (content: string) => `<epos-print xmlns="${namespace}">${content}</epos-print>`;
const lines = async (content: string) => (await decodeLines(epos, document(content))).flat();

test('text, feeds and cuts', async () => {
  const content =
    '<text lang="en" align="center">Caf&#233;&#10;</text><text em="true">TOTAL</text><text em="false">  5.00</text><feed/><feed line="2"/><text>Bye</text><cut type="feed"/><text>COPY&#10;</text>';
  expect(await decodeLines(epos, document(content))).toEqual([
    ['Café', 'TOTAL  5.00', '', '', 'Bye'],
    ['COPY'],
  ]);
});

test('a SOAP envelope around it', async () => {
  const soap = `<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${document('<text>A&#10;B</text><feed/>')}</s:Body></s:Envelope>`;
  expect(await decodeLines(epos, soap)).toEqual([['A', 'B']]);
});

test('x places a text in its column, and double width counts twice', async () => {
  expect(await lines('<text>BEER</text><text x="240">2</text><text x="360">13.00&#10;</text>')).toEqual([
    'BEER                2         13.00',
  ]);
  expect(await lines('<text dw="true">AB</text><text dw="false" x="120">C</text><feed/>')).toEqual([
    'AB      C',
  ]);
  expect(await lines('<text width="2">AB</text><text width="1" x="120">C</text><feed/>')).toEqual([
    'AB      C',
  ]);
  expect(await lines('<text>A&#9;B</text><feed/>')).toEqual(['A       B']);
});

test('page mode: y is the height', async () => {
  const page =
    '<page><area x="0" y="0" width="500" height="300"/><text x="0" y="100">TOTAL</text><text x="240" y="100">5.00</text><position x="0" y="50"/><text>TEA</text></page>';
  expect(await lines(`${page}<text>after</text><feed/>`)).toEqual([
    'TEA',
    'TOTAL               5.00',
    'after',
  ]);
});

test('bar codes and symbols', async () => {
  const content =
    '<text>A&#10;</text><barcode type="ean13" hri="below">4006381333931</barcode><barcode type="code128">{C\\x0c\\x22</barcode><symbol type="qrcode_model_2">https://x.example/1</symbol><symbol type="pdf417_standard">data</symbol>';
  const [part] = await decodePart(epos, document(content));
  expect(part?.codes).toEqual([
    { line: 1, type: 'ean13', data: '4006381333931' },
    { line: 1, type: 'code128', data: '1234' },
    { line: 1, type: 'qr', data: 'https://x.example/1' },
    { line: 1, type: 'pdf417', data: 'data' },
  ]);
});

test('commands of ESC/POS', async () => {
  expect(await lines(`<text>A</text><command>${Buffer.from('B\n').toString('hex')}</command>`)).toEqual([
    'AB',
  ]);
});

test('a pulse alone prints nothing; another document is an error', async () => {
  expect(await decodeLines(epos, document('<pulse drawer="drawer_1"/>'))).toEqual([]);
  await expect(decodeLines(epos, '<html/>')).rejects.toMatchObject({ reason: 'decode_failed' });
});
