import type { PrinterFamily } from '@receipts/contracts';

/** Names from a number on, separated by spaces; `-` is a number without a code page. */
type Ranges = Readonly<Record<number, string>>;

const first = 'cp437 epson/katakana cp850 cp860 cp863 cp865';
const western = 'windows1252 cp866 cp852 cp858';

/**
 * The code pages that printers select by number (`ESC t n`, on Star printers `ESC GS t n`), by family. Source: the lists
 * of ReceiptPrinterEncoder 4.0.1 (https://github.com/at-point-of-sale/ReceiptPrinterEncoder, MIT), which takes them from
 * the manuals of the manufacturers. The names are those of @point-of-sale/codepage-encoder, which has the tables.
 */
const ranges: Readonly<Record<PrinterFamily, Ranges>> = {
  epson: {
    0: first,
    11: `cp851 cp853 cp857 cp737 iso8859-7 ${western} thai42 thai11`,
    26: 'thai13',
    30: 'tcvn3 tcvn3capitals cp720 cp775 cp855 cp861 cp862 cp864 cp869 epson/iso8859-2 iso8859-15',
    41: 'cp1098 cp774 cp772 cp1125 windows1250 windows1251 windows1253 windows1254 windows1255',
    50: 'windows1256 windows1257 windows1258 rk1048',
  },
  star: {
    0: 'star/standard cp437 star/katakana - cp858 cp852 cp860 cp861 cp863 cp865 cp866 cp855 cp857 cp862',
    14: 'cp864 cp737 cp851 cp869 star/cp928 cp772 cp774 star/cp874',
    32: 'windows1252 windows1250 windows1251',
    64: 'cp3840 cp3841 cp3843 cp3844 cp3845 cp3846 cp3847 cp3848 cp1001 cp771 cp3001 cp3002 cp3011 cp3012',
    78: 'cp3021 cp3041',
  },
  bixolon: {
    0: first,
    16: `${western} - cp862 cp864 thai42 windows1253 windows1254 windows1257 - windows1251 cp737 cp775`,
    31: 'thai14 bixolon/hebrew windows1255 thai11 thai18 cp855 cp857 iso8859-7 thai16 windows1256',
    41: 'windows1258 khmer - - - bixolon/cp866 windows1250 - tcvn3 tcvn3capitals viscii',
  },
  citizen: {
    0: 'cp437 epson/katakana cp858 cp860 cp863 cp865 cp852 cp866 cp857',
    16: 'windows1252',
    21: 'thai11',
    26: 'thai13',
    30: 'tcvn3 tcvn3capitals windows1258',
    40: 'cp864',
  },
  xprinter: {
    0: `${first} iso8859-1 windows1253 xprinter/hebrew cp3012 - windows1255`,
    16: `${western} - latvian cp864 windows1251 cp737 windows1257`,
    33: 'windows1256',
  },
  'pos-5890': {
    0: `${first} iso8859-1 - cp862`,
    16: `${western} - - - windows1251 cp737 windows1257 - windows1258 cp864`,
    32: 'windows1255',
    56: 'cp861 - - - cp855 cp857 - - - cp851 cp869 - cp772 cp774 - - windows1250',
    74: 'cp3840 - cp3843 cp3844 cp3845 cp3846 cp3847 cp3848 - cp771 cp3001 cp3002 cp3011 cp3012',
    89: 'cp3041 windows1253 windows1254 windows1256 cp720 - cp775',
  },
  hp: {
    0: 'cp437 cp850 cp852 cp860 cp863 cp865 cp858 cp866 windows1252 cp862 cp737 cp874 cp857 windows1251',
    14: 'windows1255 rk1048',
  },
  fujitsu: { 0: `${first} - - cp857`, 16: western, 26: 'thai13', 40: 'cp864' },
  mpt: { 0: 'cp437 - cp850 cp860 cp863 cp865 windows1251 cp866 cp3021 cp3012' },
  youku: {
    0: `${first} windows1251 cp866 cp3021 cp3012`,
    15: 'cp862 windows1252 - cp852 cp858 - - cp864 iso8859-1 cp737 windows1257 - - cp855 cp857',
    30: 'windows1250 cp775 windows1254 windows1255 windows1256 windows1258 - - iso8859-1',
    44: 'iso8859-15 - - cp874',
  },
};

/** The name of the code page that a printer selects with a number; undefined if it has none. */
export function codePageNumbers(family: PrinterFamily): ReadonlyMap<number, string> {
  const numbers = new Map<number, string>();
  for (const [start, names] of Object.entries(ranges[family]))
    for (const [index, name] of names.split(' ').entries())
      if (name !== '-') numbers.set(Number(start) + index, name);
  return numbers;
}
