import type { Paper } from '../page/paper';

/** The names of bar codes and symbols in `codes`. */
const escposBarcodes = ['upca', 'upce', 'ean13', 'ean8', 'code39', 'itf', 'codabar', 'code93', 'code128'];
const escposSizedBarcodes: Readonly<Record<number, string>> = {
  74: 'gs1-128',
  75: 'gs1-databar',
  76: 'gs1-databar-truncated',
  77: 'gs1-databar-limited',
  78: 'gs1-databar-expanded',
  79: 'code128',
};
/** By the number of the symbol in `GS ( k`. */
const escposSymbols: Readonly<Record<number, string>> = {
  48: 'pdf417',
  49: 'qr',
  50: 'maxicode',
  51: 'gs1-databar',
  52: 'composite',
  53: 'aztec',
  54: 'datamatrix',
};

const set = { a: 65, b: 66, c: 67 };
/** Characters after `{`: a code set, FNC1 to FNC4, a shift, or the brace itself. */
const brace = 0x7b;

/** The data of CODE128, in which `{A`, `{B` and `{C` select a code set. Each byte of code set C is two digits. */
function code128(bytes: Buffer): string {
  let data = '';
  let selected = set.b;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === brace) {
      const next = bytes[++at] ?? 0;
      if (next === set.a || next === set.b || next === set.c) selected = next;
      else if (next === brace) data += '{';
    } else if (selected === set.c) data += String(byte).padStart(2, '0');
    else data += String.fromCharCode(byte);
  }
  return data;
}

/** `GS k m d... NUL` and `GS k m n d...` */
export function addEscposBarcode(bytes: Buffer, at: number, end: number, paper: Paper): void {
  const system = bytes[at + 2] ?? 0;
  const isSized = system >= 65;
  const type = isSized
    ? (escposBarcodes[system - 65] ?? escposSizedBarcodes[system])
    : escposBarcodes[system >= 48 ? system - 48 : system];
  const data = bytes.subarray(at + (isSized ? 4 : 3), isSized || bytes[end - 1] !== 0 ? end : end - 1);
  const text = type === 'code128' ? code128(data) : data.toString('latin1').replace(/^\{[ABC]/, '');
  paper.addCode(type ?? 'barcode', text);
}

/** Symbols are stored by one function of `GS ( k` and printed by another. */
export class StoredSymbols {
  private readonly stored = new Map<string, string>();

  store(type: string, data: Buffer): void {
    this.stored.set(type, data.toString());
  }

  print(type: string, paper: Paper): void {
    const data = this.stored.get(type);
    if (data !== undefined) paper.addCode(type, data);
  }

  /** `GS ( k pL pH cn fn ...` */
  run(bytes: Buffer, at: number, end: number, paper: Paper): void {
    const type = escposSymbols[bytes[at + 5] ?? 0];
    const order = bytes[at + 6];
    if (type === undefined) return;
    if (order === 80) this.store(type, bytes.subarray(at + 8, end));
    else if (order === 81) this.print(type, paper);
  }
}

/** By the number of `ESC b`, which is sent as a digit or as a byte. */
const starBarcodes = [
  'upce',
  'upca',
  'ean8',
  'ean13',
  'code39',
  'itf',
  'code128',
  'code93',
  'codabar',
  'gs1-128',
];

/** `ESC b n1 n2 n3 n4 d... RS` */
export function addStarBarcode(bytes: Buffer, at: number, end: number, paper: Paper): void {
  const system = bytes[at + 2] ?? 0;
  const type = starBarcodes[system >= 48 ? system - 48 : system] ?? 'barcode';
  const last = bytes[end - 1] === 0x1e ? end - 1 : end;
  paper.addCode(type, bytes.subarray(at + 6, last).toString('latin1'));
}

const oposTypes: Readonly<Record<number, string>> = {
  101: 'upca',
  102: 'upce',
  103: 'ean8',
  104: 'ean13',
  105: 'itf',
  106: 'itf',
  107: 'codabar',
  108: 'code39',
  109: 'code93',
  110: 'code128',
  201: 'pdf417',
  202: 'maxicode',
  203: 'datamatrix',
  204: 'qr',
  206: 'aztec',
};

/** The characters after `ESC|#R`: `s` with the symbology, and `d` with the data, which `e` ends. */
export function addOposCode(text: string, paper: Paper): void {
  const [, symbology, data] = /^s(\d+).*?d(.*?)e?$/s.exec(text) ?? [];
  if (data !== undefined) paper.addCode(oposTypes[Number(symbology)] ?? 'barcode', data);
}

/** The names of bar codes in ePOS-Print. */
const eposBarcodes: Readonly<Record<string, string>> = {
  upc_a: 'upca',
  upc_e: 'upce',
  jan13: 'ean13',
  jan8: 'ean8',
  code128_auto: 'code128',
};

/** `<barcode>`: data may contain `\xnn`, and for CODE128 code sets. */
export function addEposBarcode(type: string, text: string, paper: Paper): void {
  const name = eposBarcodes[type] ?? type.replaceAll('_', '-');
  const data = text.replace(/\\x([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  paper.addCode(name, type === 'code128' ? code128(Buffer.from(data, 'latin1')) : data);
}

/** `<symbol>` */
export function addEposSymbol(type: string, data: string, paper: Paper): void {
  const name = type.startsWith('qrcode') ? 'qr' : type.replace(/code(?=_|$)/, '').replace(/_.*$/, '');
  paper.addCode(name, data);
}
