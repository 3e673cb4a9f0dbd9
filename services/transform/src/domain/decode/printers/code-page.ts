import iconv from 'iconv-lite';

/** The package declares its types only for ECMAScript modules. */
interface PrinterTables {
  getEncodings(): readonly string[];
  /** The code point of each byte; null or missing for bytes that are not characters. */
  getCodepoints(name: string, evaluateExtends: boolean): readonly (number | null | undefined)[];
}
// oxlint-disable-next-line typescript/no-require-imports -- See above; the file that is loaded is CommonJS.
const printerTables = require('@point-of-sale/codepage-encoder') as PrinterTables;

/** Reads bytes in one character set. */
export interface CodePage {
  /** True if each byte is one character. */
  readonly isSingleByte: boolean;
  decode(bytes: Buffer): string;
}

const replacement = 0xfffd;

/** The names of iconv-lite (`windows-1252`, `ISO-8859-15`) as those of the printer tables. */
const printerName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/^(?:iso-?8859-?|latin-?(?=9))(\d+)$/, 'iso8859-$1')
    .replace(/^win(?:dows)?-?(125\d)$/, 'windows$1')
    .replace(/^(?:ibm|cp)-?(\d{3,4})$/, 'cp$1')
    .replace(/^\d{3}$/, 'cp$&');

const tableNames: ReadonlySet<string> = new Set(printerTables.getEncodings());
const isPrinterTable = (name: string): boolean => tableNames.has(name);

export function isKnownPage(name: string): boolean {
  return isPrinterTable(printerName(name)) || iconv.encodingExists(name);
}

function isAscii(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at++) if ((bytes[at] ?? 0) >= 0x80) return false;
  return true;
}

function tablePage(name: string): CodePage {
  const points = printerTables.getCodepoints(name, true);
  const isControl = (byte: number) => byte < 0x20 || byte === 0x7f;
  // All characters of these tables are in the basic plane.
  const units = Uint16Array.from({ length: 256 }, (_, byte) =>
    isControl(byte) ? byte : (points[byte] ?? replacement),
  );
  const isAsciiTable = units.every((unit, byte) => byte >= 0x80 || unit === byte);
  return {
    isSingleByte: true,
    decode(bytes) {
      if (isAsciiTable && isAscii(bytes)) return bytes.toString('latin1');
      const text = new Uint16Array(bytes.length);
      for (let at = 0; at < bytes.length; at++) text[at] = units[bytes[at] ?? 0] ?? replacement;
      return Buffer.from(text.buffer).toString('utf16le');
    },
  };
}

/** The names of sets whose characters have several bytes. */
const multibyteName =
  /^(?:utf|ucs|shift|sjis|cp93[26]|ms932|ms936|gb|cp949|euc|big5|cp950|ks_?c|iso-?2022|windows-?(?:31j|932|936|949|950))/i;

const pages = new Map<string, CodePage>();

/** @param name of a printer table or of iconv-lite, as checked by {@link isKnownPage} */
export function codePage(name: string): CodePage {
  let page = pages.get(name);
  if (!page) {
    const table = printerName(name);
    page = isPrinterTable(table)
      ? tablePage(table)
      : { isSingleByte: !multibyteName.test(name), decode: (bytes) => iconv.decode(bytes, name) };
    pages.set(name, page);
  }
  return page;
}

/** Characters that take two columns: East Asian wide and full-width forms. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/;
const allWide = new RegExp(wide, 'g');

/** The number of character cells that a text takes. */
export function cellsOf(text: string): number {
  return wide.test(text) ? text.length + (text.match(allWide)?.length ?? 0) : text.length;
}
