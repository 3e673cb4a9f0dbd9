import { commandEnd, escposCommandAt, isIntroducer } from '@receipts/printer-commands';

/** A piece of text or a command in the data sent to a printer. */
export interface SlipPart {
  readonly offset: number;
  readonly hex: string;
  /** The name of the command; null for text. */
  readonly command: string | null;
  /** The text; empty for a command. */
  readonly text: string;
}

/** The names of Epson's reference, by the first two bytes of a command. */
const names: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ESC: {
    '@': 'Initialise printer',
    '!': 'Select print mode',
    '-': 'Underline',
    '2': 'Default line spacing',
    '3': 'Line spacing',
    '*': 'Bit image',
    ' ': 'Character spacing',
    $: 'Absolute position',
    '\\': 'Relative position',
    '%': 'User-defined characters on or off',
    '&': 'Define characters',
    '{': 'Upside-down printing',
    '=': 'Select device',
    D: 'Tab positions',
    E: 'Emphasis',
    G: 'Double strike',
    J: 'Print and feed paper',
    K: 'Print and feed backwards',
    M: 'Font',
    R: 'International characters',
    V: 'Rotation',
    a: 'Justification',
    c: 'Paper sensors or buttons',
    d: 'Print and feed lines',
    i: 'Cut paper',
    m: 'Partly cut paper',
    p: 'Open cash drawer',
    r: 'Print colour',
    t: 'Code page',
  },
  GS: {
    '!': 'Character size',
    '#': 'Select image',
    '(': 'Extended command',
    '*': 'Define image',
    '/': 'Print image',
    '8': 'Extended command',
    $: 'Absolute vertical position',
    B: 'White on black',
    H: 'Text of barcode',
    I: 'Printer id',
    L: 'Left margin',
    P: 'Motion units',
    V: 'Cut paper',
    W: 'Print width',
    a: 'Automatic status',
    f: 'Font of barcode text',
    h: 'Barcode height',
    k: 'Barcode',
    r: 'Send status',
    v: 'Raster image',
    w: 'Barcode width',
  },
  FS: {
    '!': 'Kanji print mode',
    '&': 'Kanji on',
    '.': 'Kanji off',
    '(': 'Extended command',
    p: 'Print stored image',
    q: 'Store images',
  },
  DLE: { '\x04': 'Send status', '\x05': 'Real-time request', '\x14': 'Real-time pulse' },
};

const prefixes: Readonly<Record<number, string>> = { 0x1b: 'ESC', 0x1d: 'GS', 0x1c: 'FS', 0x10: 'DLE' };

const shownHexBytes = 24;
const partsMax = 2_000;

function hexOf(bytes: Buffer): string {
  const hex = bytes.subarray(0, shownHexBytes).toString('hex').replace(/../g, '$& ').trim();
  return bytes.length > shownHexBytes ? `${hex} … (${bytes.length} bytes)` : hex;
}

function commandAt(bytes: Buffer, at: number): { readonly name: string; readonly end: number } | undefined {
  const prefix = prefixes[bytes[at] ?? 0];
  if (prefix === undefined) return undefined;
  const letter = String.fromCharCode(bytes[at + 1] ?? 0);
  const known = names[prefix]?.[letter];
  const sign = /[!-~]/.test(letter) ? `${prefix} ${letter}` : prefix;
  const end = commandEnd(escposCommandAt, bytes, at);
  return { name: known === undefined ? sign : `${sign}: ${known}`, end };
}

/** Lists the parts of the data, up to 2,000. */
export function listSlip(bytes: Buffer): { readonly parts: SlipPart[]; readonly isWhole: boolean } {
  const parts: SlipPart[] = [];
  let at = 0;
  while (at < bytes.length && parts.length < partsMax) {
    const command = commandAt(bytes, at);
    let end = command?.end ?? at + 1;
    // A text ends at the end of its line.
    while (!command && end < bytes.length && bytes[end - 1] !== 0x0a && !isIntroducer(bytes[end] ?? 0)) end++;
    const part = bytes.subarray(at, end);
    parts.push({
      offset: at,
      hex: hexOf(part),
      command: command?.name ?? null,
      text: command ? '' : part.toString('latin1').replace(/[^\x20-\x7e\xa0-\xff]/g, '·'),
    });
    at = end;
  }
  return { parts, isWhole: at >= bytes.length };
}
