import type { TestRetailer } from './harness/client';
import { dryRun } from './harness/dry-run';
import { aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;

beforeAll(async () => {
  retailer = await aRetailer({ timezone: 'Europe/Berlin' });
});

type Piece = string | readonly number[] | Buffer;
const bytes = (...pieces: readonly Piece[]) =>
  Buffer.concat(
    pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : Buffer.from(piece))),
  );

const linesOf = async (input: Buffer, decode: Readonly<Record<string, unknown>>) =>
  (await dryRun(retailer.api, input, { decode })).decoded.lines;

const reset = [0x1b, 0x40];
const absolute = (dots: number) => [0x1b, 0x24, dots & 0xff, dots >> 8];
const relative = (dots: number) => [0x1b, 0x5c, dots & 0xff, (dots >> 8) & 0xff];
const tabStops = (...columns: number[]) => [0x1b, 0x44, ...columns, 0];
const size = (bits: number) => [0x1d, 0x21, bits];
const fontB = [0x1b, 0x4d, 1];
const columns = (count: number) => ' '.repeat(count);

describe('the position of ESC/POS text', () => {
  it.each<[string, Buffer, string[]]>([
    [
      'places an absolute run in its column',
      bytes('BEER', absolute(144), '2', absolute(240), '13.00\n'),
      [`BEER${columns(8)}2${columns(7)}13.00`],
    ],
    ['moves relatively', bytes('A', relative(36), 'B\n'), ['A   B']],
    ['ignores a move by less than half a column', bytes('A', relative(5), 'B\n'), ['AB']],
    ['leaves one space at least', bytes('ABCDEF', absolute(60), 'G\n'), ['ABCDEF G']],
    ['keeps the columns of a placed first run', bytes(absolute(60), 'X\n'), ['     X']],
    ['orders runs by their column', bytes(absolute(120), 'B', absolute(0), 'A\n'), [`A${columns(9)}B`]],
    ['counts text printed twice in one place once', bytes('TOTAL', absolute(0), 'TOTAL\n'), ['TOTAL']],
    ['goes to the default tab stops', bytes('A\tB\tC\n'), ['A       B       C']],
    ['goes to the tab stops that were set', bytes(tabStops(4, 20), 'A\tB\tC\n'), [`A   B${columns(15)}C`]],
    ['counts double width twice', bytes(size(0x10), 'AB', size(0), absolute(60), 'C\n'), ['AB C']],
    [
      'adds no spaces for the alignment of a line',
      bytes([0x1b, 0x61, 1], 'MIDDLE\n', [0x1b, 0x61, 0]),
      ['MIDDLE'],
    ],
    [
      'measures font B in columns of font A',
      bytes(fontB, 'ABCD', [0x1b, 0x4d, 0], absolute(60), 'X\n'),
      ['ABCD  X'],
    ],
  ])('%s', async (_, input, expected) => {
    expect(await linesOf(bytes(reset, input), { type: 'escpos' })).toEqual(expected);
  });

  it('orders the lines of page mode by their height', async () => {
    const height = (dots: number) => [0x1d, 0x24, dots & 0xff, dots >> 8];
    const input = bytes(
      reset,
      [0x1b, 0x4c],
      height(90),
      absolute(0),
      'LOW',
      height(30),
      absolute(0),
      'HIGH',
      [0x0c],
    );
    expect(await linesOf(input, { type: 'escpos' })).toEqual(['HIGH', 'LOW']);
  });
});

describe('what a printer holds back', () => {
  it.each<[string, Buffer, string[]]>([
    ['drops what ESC @ finds unprinted', bytes('SECRET', reset, 'A\n'), ['A']],
    ['drops what CAN finds unprinted in page mode', bytes([0x1b, 0x4c], 'X', [0x18], 'Y', [0x0c]), ['Y']],
    [
      'keeps the order of lines when paper is fed back',
      bytes('A\nB\n', [0x1b, 0x65, 2], 'C\n'),
      ['A', 'B', 'C'],
    ],
  ])('%s', async (_, input, expected) => {
    expect(await linesOf(input, { type: 'escpos' })).toEqual(expected);
  });
});

describe('character sets of ESC/POS', () => {
  const choose = (number: number) => [0x1b, 0x74, number];
  it.each<[string, Readonly<Record<string, unknown>>, Buffer, string]>([
    ['the named set before the first ESC t', { codepage: 'cp858' }, bytes([0xd5], '\n'), '€'],
    ['the euro in Epson 19', {}, bytes(choose(19), [0xd5], '\n'), '€'],
    ['the euro in Epson 13', {}, bytes(choose(16), [0x80], '\n'), '€'],
    [
      'the numbering of a Citizen printer',
      { printer: 'citizen' },
      bytes(choose(7), [0x8f, 0xe0], '\n'),
      'Пр',
    ],
    ['an overridden number', { code_pages: { 7: 'cp866' } }, bytes(choose(7), [0x8f, 0xe0], '\n'), 'Пр'],
    ['the pound of the British set', { codepage: 'cp437' }, bytes([0x1b, 0x52, 3], '#5\n'), '£5'],
    ['umlauts of the German set', { codepage: 'cp437' }, bytes([0x1b, 0x52, 2], '{|}~[\\]@\n'), 'äöüßÄÖÜ§'],
    [
      'kanji mode by the multi-byte set that is named',
      { multibyte: 'gb18030' },
      bytes([0x1c, 0x26], [0xb2, 0xe8], [0x1c, 0x2e], '1\n'),
      '茶1',
    ],
    [
      'kanji mode whatever ESC t says',
      { multibyte: 'shift_jis' },
      bytes(choose(16), [0x1c, 0x26], [0x8d, 0x87, 0x8c, 0x76], '\n'),
      '合計',
    ],
    [
      'JIS codes by FS C',
      { multibyte: 'shift_jis' },
      bytes([0x1c, 0x43, 0], [0x1c, 0x26], [0x39, 0x67, 0x37, 0x57], '\n'),
      '合計',
    ],
  ])('read %s', async (_, decode, input, expected) => {
    expect(await linesOf(bytes(reset, input), { type: 'escpos', ...decode })).toEqual([expected]);
  });

  it('replace a broken byte and read the rest as declared', async () => {
    const { decoded } = await dryRun(
      retailer.api,
      bytes([0xc3, 0xa9, 0xff], 'x\n'),
      { decode: { type: 'text' } },
      'text/plain; charset=utf-8',
    );
    expect(decoded.lines).toEqual(['é\ufffdx']);
  });
});

describe('other printer languages', () => {
  it('opos: places aligned runs on 42 columns', async () => {
    const input = bytes('Coffee\x1b|rA2.50\n', '\x1b|cAMID\n');
    expect(await linesOf(input, { type: 'opos' })).toEqual([`Coffee${columns(32)}2.50`, 'MID']);
  });

  it('star: reads positions, code pages and cuts', async () => {
    const input = bytes(
      [0x1b, 0x1d, 0x74, 32],
      'Tea',
      [0x1b, 0x1d, 0x41, 240, 0],
      [0x80],
      '2\n',
      [0x1b, 0x64, 2],
      'NEXT\n',
    );
    const { decoded } = await dryRun(retailer.api, input, { decode: { type: 'star' } });
    expect(decoded.parts.map(({ lines }: { lines: string[] }) => lines)).toEqual([
      [`Tea${columns(17)}€2`],
      ['NEXT'],
    ]);
  });

  it('epos: places runs by x, lists symbols, ends parts at cuts', async () => {
    const input = Buffer.from(
      `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>
         <epos-print xmlns="http://www.epson-pos.com/schemas/2011/03/epos-print"><text>Tea</text><text x="120">2.50&#10;</text>
         <barcode type="ean13">4006381333931</barcode><cut/><text>NEXT&#10;</text></epos-print></s:Body></s:Envelope>`,
    );
    const { decoded } = await dryRun(retailer.api, input, { decode: { type: 'epos' } });
    expect(decoded.parts).toMatchObject([
      { lines: [`Tea${columns(7)}2.50`], codes: [{ type: 'ean13', data: '4006381333931' }] },
      { lines: ['NEXT'] },
    ]);
  });

  it('text: moves to tab stops', async () => {
    expect(await linesOf(bytes('A\tB\n12345678\tC\n'), { type: 'text' })).toEqual([
      'A       B',
      `12345678${columns(8)}C`,
    ]);
  });

  it('lists codes by line, and the digits of code set C', async () => {
    const input = bytes(
      reset,
      'FIRST\n',
      [0x1d, 0x6b, 73, 5, 0x7b, 0x43, 12, 34, 56],
      'SECOND\n',
      [0x1d, 0x28, 0x6b, 6, 0, 49, 80, 48],
      'r/9',
      [0x1d, 0x28, 0x6b, 3, 0, 49, 81, 48],
    );
    expect((await dryRun(retailer.api, input, { decode: { type: 'escpos' } })).decoded.codes).toEqual([
      { line: 1, type: 'code128', data: '123456' },
      { line: 2, type: 'qr', data: 'r/9' },
    ]);
  });
});

describe('documents', () => {
  it('keeps the order of XML elements if asked to', async () => {
    const input = Buffer.from('<a n="1"><b>x</b><c/> y <b>z</b></a>');
    expect(
      (await dryRun(retailer.api, input, { decode: { type: 'xml', ordered: true } })).decoded.doc,
    ).toEqual({
      name: 'a',
      attributes: { n: '1' },
      text: ' y ',
      children: [
        { name: 'b', attributes: {}, text: 'x', children: [] },
        { name: 'c', attributes: {}, text: '', children: [] },
        { name: 'b', attributes: {}, text: 'z', children: [] },
      ],
    });
  });

  it('gives numbers that a double cannot hold as their text', async () => {
    const input = Buffer.from('{"id":12345678901234567891,"big":1e400,"a":0.1,"n":123456789012345}');
    expect((await dryRun(retailer.api, input, { decode: { type: 'json' } })).decoded.doc).toEqual({
      id: '12345678901234567891',
      big: '1e400',
      a: 0.1,
      n: 123456789012345,
    });
  });

  it.each([',', ';', '\t', '|'])(
    'guesses the delimiter %j, names repeated columns, keeps inner quotes',
    async (d) => {
      const input = Buffer.from(
        [
          ['name', 'price', 'name', 'name'],
          ['5" pipe', '1', 'b', 'c'],
        ]
          .map((row) => row.join(d))
          .join('\n'),
      );
      expect((await dryRun(retailer.api, input, { decode: { type: 'csv' } })).decoded.doc).toEqual([
        { name: '5" pipe', price: '1', name_2: 'b', name_3: 'c' },
      ]);
    },
  );
});
