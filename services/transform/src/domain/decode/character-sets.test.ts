import iconv from 'iconv-lite';
import type { MappingDecode } from '@receipts/contracts';
import { ConversionError } from '../faults/conversion-fault';
import { bytesOf, decodeLines, escpos } from '../../testing/printer-bytes';
import { decoderFor } from './decode';

const line = async (
  options: Omit<Extract<MappingDecode, { type: 'escpos' }>, 'type'>,
  data: Buffer | string,
) => (await decodeLines({ type: 'escpos', ...options }, data)).flat().join('|');

const pound = iconv.encode('£', 'cp858');
const euro = iconv.encode('€', 'cp858');

describe('single-byte sets', () => {
  test('the code page of the mapping is the set before the first ESC t', async () => {
    expect(await line({ codepage: 'cp858' }, bytesOf(euro, escpos.page(16), [0x80]))).toBe('€€');
    expect(await line({ codepage: 'windows-1251' }, iconv.encode('Чек', 'win1251'))).toBe('Чек');
  });

  test('a Citizen printer prints euro, pound and Cyrillic by its own numbers', async () => {
    const slip = bytesOf(escpos.page(2), euro, pound, escpos.page(7), iconv.encode('Чай', 'cp866'));
    expect(await line({ printer: 'citizen' }, slip)).toBe('€£Чай');
  });

  test.each([
    ['epson', 17, 'cp866', 'Чай'],
    ['epson', 13, 'cp858', '€'],
    ['epson', 19, 'cp858', '€'],
    ['star', 10, 'cp866', 'Чай'],
    ['star', 4, 'cp858', '€'],
    ['bixolon', 28, 'win1251', 'Чай'],
    ['citizen', 16, 'win1252', '€'],
    ['xprinter', 23, 'win1251', 'Чай'],
    ['pos-5890', 23, 'win1251', 'Чай'],
    ['hp', 7, 'cp866', 'Чай'],
    ['fujitsu', 17, 'cp866', 'Чай'],
    ['mpt', 6, 'win1251', 'Чай'],
    ['youku', 6, 'win1251', 'Чай'],
  ] as const)('%s: number %i is %s', async (printer, number, encoding, text) => {
    expect(await line({ printer }, bytesOf(escpos.page(number), iconv.encode(text, encoding)))).toBe(text);
  });

  test('code_pages overrides single numbers', async () => {
    const code_pages = { '13': 'cp866', '0': 'gb18030' };
    const slip = bytesOf(
      escpos.page(13),
      iconv.encode('Чай', 'cp866'),
      escpos.page(0),
      iconv.encode('茶', 'gb18030'),
    );
    expect(await line({ code_pages }, bytesOf(slip, escpos.page(19), euro))).toBe('Чай茶€');
  });

  test('a number that the printer does not have selects the set of the mapping', async () => {
    expect(await line({ codepage: 'cp858' }, bytesOf(escpos.page(200), euro))).toBe('€');
  });

  test('a code page that does not exist is an error of the mapping', () => {
    const compile = () => decoderFor({ type: 'escpos', code_pages: { '7': 'cp9999' } });
    expect(compile).toThrow(ConversionError);
  });

  test('ESC R replaces its twelve characters', async () => {
    const all = '#$@[\\]^`{|}~';
    expect(await line({}, bytesOf(escpos.country(3), all))).toBe('£$@[\\]^`{|}~');
    expect(await line({}, bytesOf(escpos.country(2), all))).toBe('#$§ÄÖÜ^`äöüß');
    expect(await line({}, bytesOf(escpos.country(8), 'a\\1'))).toBe('a¥1');
    expect(await line({}, bytesOf(escpos.country(2), escpos.country(0), all))).toBe(all);
    expect(await line({ multibyte: 'shift_jis' }, bytesOf(escpos.country(2), escpos.kanji, '[]'))).toBe('[]');
  });

  test('bytes that are not characters are replaced', async () => {
    expect(await line({ codepage: 'windows-1253' }, bytesOf('a', [0xaa], 'b'))).toBe('a\ufffdb');
  });
});

describe('kanji mode', () => {
  test.each([
    ['shift_jis', '東京ﾎﾃﾙ'],
    ['gb18030', '北京茶'],
    ['big5', '臺北茶'],
    ['euc-kr', '서울'],
  ] as const)('%s is what kanji mode is read as, whatever ESC t says', async (multibyte, text) => {
    const encoded = iconv.encode(text, multibyte);
    expect(await line({ multibyte }, bytesOf(escpos.page(16), escpos.kanji, encoded))).toBe(text);
    expect(await line({ multibyte }, bytesOf(escpos.page(16), encoded, ' 5'))).toBe(`${text} 5`);
  });

  test('FS . returns to the code page', async () => {
    const slip = bytesOf(iconv.encode('茶', 'gb18030'), escpos.noKanji, escpos.page(19), euro);
    expect(await line({ multibyte: 'gb18030' }, slip)).toBe('茶€');
  });

  test('FS C chooses within Japanese', async () => {
    const jis = iconv.encode('東京', 'euc-jp').map((byte) => byte & 0x7f);
    expect(await line({}, bytesOf([0x1c, 0x43, 0], escpos.kanji, Buffer.from(jis)))).toBe('東京');
    const sjis = iconv.encode('東京', 'shift_jis');
    expect(await line({}, bytesOf([0x1c, 0x43, 1], escpos.kanji, sjis))).toBe('東京');
  });

  test('without a named set, the printer has no kanji mode', async () => {
    expect(await line({}, bytesOf(escpos.kanji, escpos.page(19), euro))).toBe('€');
  });

  test('a broken byte is one replacement character, and the rest is read in the same set', async () => {
    const broken = bytesOf(iconv.encode('東', 'shift_jis'), [0xa0], iconv.encode('京', 'shift_jis'), '\n');
    expect(await line({ multibyte: 'shift_jis' }, broken)).toBe('東\ufffd京');
  });
});

describe('text', () => {
  const broken = bytesOf(Buffer.from('Café '), [0xe9], Buffer.from(' é'));

  test('in a set that is named or declared, a broken byte is one replacement character', async () => {
    const named = await decodeLines({ type: 'text', codepage: 'utf-8' }, broken);
    const declared = await decodeLines({ type: 'text' }, broken, 'text/plain; charset=utf-8');
    expect([named, declared]).toEqual([[['Café \ufffd é']], [['Café \ufffd é']]]);
  });

  test('otherwise, text that is not UTF-8 is Windows-1252', async () => {
    expect(await decodeLines({ type: 'text' }, iconv.encode('Café 5 €', 'win1252'))).toEqual([['Café 5 €']]);
  });
});
