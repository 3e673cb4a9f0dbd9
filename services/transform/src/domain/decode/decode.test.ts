import { cpuTimeMs } from '../cpu-budget';
import iconv from 'iconv-lite';
import type { MappingDecode } from '@receipts/contracts';
import { ConversionError } from '../faults/conversion-fault';
import { decoderFor } from './decode';
import type { Part } from '../decoded/decoded';

async function decode(options: MappingDecode, data: string | Buffer, contentType: string | null = null) {
  return decoderFor(options)(Buffer.from(data), contentType);
}

async function reasonOf(work: Promise<readonly Part[]>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof ConversionError) return error.reason;
    throw error;
  }
  return 'none';
}

const linesOf = (parts: readonly Part[]) => parts.map(({ lines }) => lines);
const hostileBoundMs = 3_000;

async function quickly<T>(work: () => Promise<T>): Promise<T> {
  const startedAtMs = cpuTimeMs();
  const result = await work();
  expect(cpuTimeMs() - startedAtMs).toBeLessThan(hostileBoundMs);
  return result;
}

describe('json', () => {
  const json = { type: 'json' } as const;

  test('parses the document', async () => {
    expect(await decode(json, '\ufeff{"a": [1, "é"]}')).toEqual([{ doc: { a: [1, 'é'] } }]);
    const latin = iconv.encode('{"a": "é€"}', 'windows-1252');
    expect(await decode(json, latin)).toEqual([{ doc: { a: 'é€' } }]);
    expect(await decode(json, iconv.encode('{"a": "é"}', 'utf16le', { addBOM: true }))).toEqual([
      { doc: { a: 'é' } },
    ]);
  });

  test('reports the line of a fault', async () => {
    await expect(decode(json, '{\n"a": 1,\n}')).rejects.toMatchObject({ reason: 'decode_failed' });
  });

  test('rejects a million brackets quickly', async () => {
    expect(await quickly(() => reasonOf(decode(json, '['.repeat(1_000_000))))).toBe('decode_failed');
  });

  test('treats __proto__ like any other member, and pollutes nothing', async () => {
    await decode(json, '{"__proto__": {"polluted": true}}');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe('xml', () => {
  const xml = { type: 'xml' } as const;

  test('keeps values as text and attributes with @, and drops prefixes', async () => {
    const text =
      '<?xml version="1.0"?><p:Log xmlns:p="u"><p:Id n="007">0012</p:Id><p:Id/><T><![CDATA[a &amp; <b>]]></T></p:Log>';
    expect(await decode(xml, text)).toEqual([
      { doc: { Log: { Id: [{ '#text': '0012', '@n': '007' }, ''], T: 'a &amp; <b>' } } },
    ]);
    expect(await decode({ ...xml, keep_prefixes: true }, '<p:a xmlns:p="u">1</p:a>')).toMatchObject([
      { doc: { 'p:a': { '#text': '1' } } },
    ]);
  });

  test('decodes the five entities and character references once', async () => {
    const text = '<a b="&quot;&amp;amp;">&lt;&gt;&apos; &#233;&#xE9; &amp;#233; &nbsp;</a>';
    expect(await decode(xml, text)).toEqual([
      { doc: { a: { '#text': "<>' éé &#233; &nbsp;", '@b': '"&amp;' } } },
    ]);
  });

  test('decodes half a million character references quickly', async () => {
    const [part] = await quickly(() => decode(xml, `<a>${'&#65;'.repeat(500_000)}</a>`));
    expect(part?.doc).toEqual({ a: 'A'.repeat(500_000) });
  });

  test('reads the declared encoding', async () => {
    const bytes = iconv.encode('<?xml version="1.0" encoding="ISO-8859-15"?><a>€é</a>', 'iso885915');
    expect(await decode(xml, bytes)).toEqual([{ doc: { a: '€é' } }]);
  });

  test('reads UTF-8 even if the declaration says UTF-16', async () => {
    const text = '<?xml version="1.0" encoding="utf-16"?><a>€é</a>';
    for (const bytes of [Buffer.from(text), iconv.encode(text, 'utf16le', { addBOM: true })])
      expect(await decode(xml, bytes)).toEqual([{ doc: { a: '€é' } }]);
  });

  test.each([
    [
      'an entity flood',
      `<!DOCTYPE a [<!ENTITY a "x">${'<!ENTITY b "&a;&a;">'.repeat(9)}]><a>&b;</a>`,
      'decode_failed',
    ],
    [
      'an external entity',
      '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
      'decode_failed',
    ],
    ['twenty thousand levels', '<a>'.repeat(20_000) + '</a>'.repeat(20_000), 'decode_failed'],
    ['a million siblings', `<a>${'<b/>'.repeat(1_000_000)}</a>`, 'too_large'],
    ['a reserved name', '<a><__proto__><x>1</x></__proto__></a>', 'decode_failed'],
    ['an unclosed element', '<a><b></a>', 'decode_failed'],
    ['text that is not XML', 'hello', 'decode_failed'],
  ])('rejects %s', async (_, text, reason) => {
    expect(await quickly(() => reasonOf(decode(xml, text)))).toBe(reason);
  });

  test('does not read an external subset', async () => {
    expect(await decode(xml, '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a>1</a>')).toEqual([
      { doc: { a: '1' } },
    ]);
  });
});

describe('csv', () => {
  const csv = { type: 'csv' } as const;

  test('returns a list of rows, keyed by the names in the header', async () => {
    expect(await decode(csv, '\ufeffno;name\r\n1;"a;b"\r\n\r\n2; c \r\n')).toEqual([
      {
        doc: [
          { no: '1', name: 'a;b' },
          { no: '2', name: 'c' },
        ],
      },
    ]);
  });

  test('keys rows by the names in the mapping, or by number', async () => {
    expect(await decode({ ...csv, header: ['x', 'y'], skip_lines: 1 }, 'junk\n1,2,3\n')).toEqual([
      { doc: [{ x: '1', y: '2', column3: '3' }] },
    ]);
    expect(await decode({ ...csv, header: false, delimiter: '|' }, '1|2')).toEqual([
      { doc: [{ column1: '1', column2: '2' }] },
    ]);
  });

  test('detects the delimiter in the first line that has one, outside of quotes', async () => {
    expect(await decode(csv, '\r\n\r\na;b\r\n1;2')).toEqual([{ doc: [{ a: '1', b: '2' }] }]);
    expect(await decode(csv, '"a,b,c";d\n1;2')).toEqual([{ doc: [{ 'a,b,c': '1', d: '2' }] }]);
  });

  test('accepts __proto__ as a header', async () => {
    const [part] = await decode(csv, '__proto__,b\n1,2\n');
    expect(Object.keys((part?.doc as object[])[0] ?? {})).toEqual(['__proto__', 'b']);
  });

  test.each([
    ['sixty thousand rows', 'a,b\n'.repeat(60_000), 'too_large'],
    ['a thousand columns', ','.repeat(1_000), 'too_large'],
    ['one endless record', `a\n"${'x'.repeat(1_500_000)}`, 'decode_failed'],
  ])('rejects %s', async (_, text, reason) => {
    expect(await quickly(() => reasonOf(decode(csv, text)))).toBe(reason);
  });
});

describe('text', () => {
  const text = { type: 'text' } as const;

  test('returns lines without trailing spaces or outer empty lines', async () => {
    expect(linesOf(await decode(text, '\r\n\r\n A  \r\nB\tC\rD\n\n'))).toEqual([[' A', 'B       C', 'D']]);
  });

  test('uses the code page, then the content type, then a guess', async () => {
    const bytes = iconv.encode('5 €', 'cp858');
    expect(linesOf(await decode({ ...text, codepage: 'cp858' }, bytes, 'text/plain; charset=utf-8'))).toEqual(
      [['5 €']],
    );
    expect(
      linesOf(await decode(text, iconv.encode('Ω', 'iso88597'), 'text/plain; charset=iso-8859-7')),
    ).toEqual([['Ω']]);
    expect(
      linesOf(await decode(text, iconv.encode('é€', 'win1252'), 'text/plain; charset=nonsense')),
    ).toEqual([['é€']]);
  });

  test('splits into receipts and wraps lines wider than the paper', async () => {
    expect(
      linesOf(await decode({ ...text, split: '\f', columns: 10 }, 'one\n0123456789ab\f\n\ftwo')),
    ).toEqual([['one', '0123456789', 'ab'], ['two']]);
  });

  test.each(['\x1d', '\t', '\0', '\x04', '\x1bm'])('splits at %j', async (split) => {
    expect(linesOf(await decode({ ...text, split }, `one\n${split}t\x07wo\n${split}`))).toEqual([
      ['one'],
      ['two'],
    ]);
  });

  test('rejects an unknown code page when the mapping is created', () => {
    expect(() => decoderFor({ ...text, codepage: 'cp9999' })).toThrow(ConversionError);
  });

  test('removes two million spaces quickly', async () => {
    const parts = await quickly(() => decode({ ...text, columns: 8 }, `${' '.repeat(200_000)}x`));
    expect(parts[0]?.lines?.at(-1)).toBe('x');
    await quickly(() => decode(text, `${' '.repeat(2_000_000)}x`));
    expect(await quickly(() => reasonOf(decode({ ...text, columns: 8 }, 'x'.repeat(2_000_000))))).toBe(
      'too_large',
    );
  });

  test('rejects two million lines', async () => {
    expect(await quickly(() => reasonOf(decode(text, 'x\n'.repeat(1_000_000))))).toBe('too_large');
  });
});

describe('opos', () => {
  const opos = { type: 'opos' } as const;
  const esc = '\x1b|';

  test('removes the escape sequences', async () => {
    const slip = `${esc}cA${esc}bCSHOP${esc}N\n${esc}2hC${esc}rATOTAL 5${esc}!uC\n${esc}2lFend${esc}1B${esc}tL`;
    expect(linesOf(await decode(opos, slip))).toEqual([['SHOP', 'TOTAL 5', '', '', 'end']]);
  });

  test('ends a receipt at a cut, and skips printer data', async () => {
    expect(linesOf(await decode(opos, `one\n${esc}95fP${esc}*4E\x1b\x1b|x${'two'}\n${esc}P`))).toEqual([
      ['one'],
      ['two'],
    ]);
  });

  test('does not treat a private-use character as a cut', async () => {
    expect(linesOf(await decode(opos, 'a\uf8ffb'))).toEqual([['a\uf8ffb']]);
  });

  test('splits at a tab', async () => {
    expect(linesOf(await decode({ ...opos, split: '\t' }, 'one\ttwo'))).toEqual([['one'], ['two']]);
  });

  test('rejects endless paper', async () => {
    expect(await quickly(() => reasonOf(decode(opos, `${esc}99lF`.repeat(300_000))))).toBe('too_large');
  });

  test('accepts data that ends within an escape sequence', async () => {
    expect(linesOf(await decode(opos, `a${esc}`))).toEqual([['a']]);
    expect(linesOf(await decode(opos, `a${esc}999999999999E`))).toEqual([['a']]);
  });
});

describe('escpos', () => {
  const escpos = { type: 'escpos' } as const;
  const bytes = (...parts: (string | number[])[]) =>
    Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
    );
  const qr = (data: string) => [
    0x1d,
    0x28,
    0x6b,
    (data.length + 3) & 255,
    (data.length + 3) >> 8,
    49,
    80,
    48,
    ...Buffer.from(data),
  ];

  test('keeps text and drops commands', async () => {
    const slip = bytes(
      [0x1b, 0x40, 0x1b, 0x61, 1, 0x1b, 0x21, 0x30],
      'SHOP\n',
      [0x1d, 0x21, 0x11],
      'A\tB\r\n',
      [0x1b, 0x64, 2],
      'C\n',
    );
    expect(linesOf(await decode(escpos, slip))).toEqual([['SHOP', 'A      B', '', '', 'C']]);
  });

  test('uses the code page', async () => {
    const euro = iconv.encode('€', 'cp858');
    const slip = Buffer.concat([
      bytes([0x1b, 0x74, 19]),
      euro,
      bytes([0x1b, 0x74, 16]),
      iconv.encode('€é\n', 'win1252'),
      bytes([0x1b, 0x40]),
      iconv.encode('é', 'cp437'),
    ]);
    expect(linesOf(await decode(escpos, slip))).toEqual([['€€é', 'é']]);
  });

  test('supports every code page, and decodes text in an unknown one as code page 437', async () => {
    for (let number = 0; number < 256; number++) {
      const [part] = await decode(escpos, bytes('a', [0x1b, 0x74, number], 'b\n'));
      expect([number, part?.lines]).toEqual([number, ['ab']]);
    }
    expect(linesOf(await decode(escpos, bytes([0x1b, 0x74, 42, 0x82])))).toEqual([['é']]);
  });

  test.each([
    ['GS g 0', [0x1d, 0x67, 0x30, 0, 0x41, 0x42]],
    ['GS g 2', [0x1d, 0x67, 0x32, 0, 0x41, 0x42]],
    ['GS z 0', [0x1d, 0x7a, 0x30, 0x41, 0x42]],
    ['GS C 0', [0x1d, 0x43, 0x30, 0x41, 0x42]],
    ['GS C 1', [0x1d, 0x43, 0x31, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46]],
    ['GS C 2', [0x1d, 0x43, 0x32, 0x41, 0x42]],
    ['FS g 1', [0x1c, 0x67, 0x31, 0, 0, 0, 0, 0, 2, 0, 0x41, 0x42]],
    ['FS g 2', [0x1c, 0x67, 0x32, 0, 0, 0, 0, 0, 0x41, 0]],
    ['DLE DC4 7', [0x10, 0x14, 7, 1]],
  ])('drops the parameters of %s', async (_, order) => {
    expect(linesOf(await decode(escpos, bytes('a', order, 'b\n')))).toEqual([['ab']]);
  });

  test('skips images and bar codes, and lists the codes', async () => {
    const raster = [0x1d, 0x76, 0x30, 0, 2, 0, 3, 0, 1, 2, 3, 4, 0x0a, 0x1b];
    const columns = [0x1b, 0x2a, 33, 2, 0, 1, 2, 3, 4, 5, 6];
    const barcode = [0x1d, 0x6b, 73, 6, ...Buffer.from('{B1234'), 0x1d, 0x6b, 4, ...Buffer.from('*99*'), 0];
    const print = [0x1d, 0x28, 0x6b, 3, 0, 49, 81, 48];
    const slip = bytes('a\n', raster, columns, barcode, 'b\n', qr('https://x.example/1'), print, 'c\n');
    const [part] = await decode(escpos, slip);
    expect(part?.lines).toEqual(['a', 'b', 'c']);
    expect(part?.codes).toEqual([
      { line: 1, type: 'code128', data: '1234' },
      { line: 1, type: 'code39', data: '*99*' },
      { line: 2, type: 'qr', data: 'https://x.example/1' },
    ]);
  });

  test('ends a receipt at a cut', async () => {
    const slip = bytes('one\n', [0x1d, 0x56, 66, 3], 'two\n', [0x1d, 0x56, 0], '\n', [0x1b, 0x69], 'three');
    expect(linesOf(await decode(escpos, slip))).toEqual([['one'], ['two'], ['three']]);
  });

  test('rejects a code that is printed endlessly', async () => {
    const print = Buffer.from([0x1d, 0x28, 0x6b, 3, 0, 49, 81, 48]);
    const slip = Buffer.concat([bytes(qr('x'.repeat(7_000))), Buffer.alloc(200_000, print)]);
    expect(await quickly(() => reasonOf(decode(escpos, slip)))).toBe('too_large');
  });

  test('reads a truncated stream up to its end', async () => {
    const whole = bytes(
      'text\n',
      [0x1b, 0x26, 3, 65, 66, 12],
      [0x1d, 0x38, 0x4c, 255, 255, 255, 127],
      qr('x'),
      [0x1c, 0x71, 9, 255, 255, 255, 255],
    );
    for (let length = 0; length <= whole.length; length++) {
      const parts = await decode(escpos, whole.subarray(0, length));
      expect(parts.length).toBeLessThanOrEqual(1);
    }
  });

  test('reads random bytes quickly', async () => {
    const noise = Buffer.alloc(
      2_000_000,
      Buffer.from(Array.from({ length: 256 }, (_, index) => (index * 7) % 256)),
    );
    await quickly(() => reasonOf(decode(escpos, noise)));
    await quickly(() => reasonOf(decode(escpos, Buffer.alloc(2_000_000, '\x1bd\xff', 'latin1'))));
    await quickly(() =>
      reasonOf(decode(escpos, Buffer.alloc(2_000_000, '\x1d(k\x04\x00\x31\x51\x30x', 'latin1'))),
    );
  });
});
