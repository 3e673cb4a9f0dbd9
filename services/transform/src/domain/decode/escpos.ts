import { commandEnd, dle, esc, escposCommandAt, fs, gs } from '@receipts/printer-commands';
import type { DecodeOptions, Part } from '../decoded/decoded';
import { Paper } from './page/paper';
import { CharacterSets } from './printers/character-sets';
import { addEscposBarcode, StoredSymbols } from './printers/codes';

const code = (character: string): number => character.charCodeAt(0);
const signed = (bytes: Buffer, at: number): number => (bytes.length >= at + 2 ? bytes.readInt16LE(at) : 0);
const unsigned = (bytes: Buffer, at: number): number => (bytes.length >= at + 2 ? bytes.readUInt16LE(at) : 0);

const fontDots = { a: 12, b: 9 };
/** The function of `GS ( L` and `GS 8 L` that sends an image. */
const storeGraphics = 112;
const defaultLineSpacing = 30;
/** The resolution of print heads: a motion unit of this inch fraction is a dot. */
const headUnits = { min: 180, max: 204 };

/** Translates ESC/POS commands into moves, text and cuts on the paper. */
class EscposPrinter {
  private font = fontDots.a;
  private widthFactor = 1;
  private spacing = 0;
  private unit = 1;
  /** In columns; undefined for the default of every 8 columns. */
  private tabs: readonly number[] | undefined;
  /** False while data is sent to a display behind the printer. */
  private isSelected = true;
  readonly symbols = new StoredSymbols();

  constructor(
    readonly paper: Paper,
    readonly sets: CharacterSets,
    /** A stream without line feeds is for a printer on which a carriage return feeds the paper. */
    private readonly returnFeeds: boolean,
  ) {}

  print(bytes: Buffer): void {
    if (!this.isSelected) return;
    const { text, cells } = this.sets.decode(bytes);
    this.paper.print(text, ((this.font + this.spacing) * this.widthFactor) / fontDots.a, cells);
  }

  /** @returns the position after the control character or command */
  control(bytes: Buffer, at: number): number {
    const byte = bytes[at] ?? 0;
    const table = commands[byte];
    if (!table) {
      if (this.isSelected) this.character(byte, bytes[at + 1]);
      return at + 1;
    }
    const end = commandEnd(escposCommandAt, bytes, at);
    const name = bytes[at + 1] ?? 0;
    if (this.isSelected || (byte === esc && name === code('='))) table.get(name)?.(this, bytes, at, end);
    return end;
  }

  private character(byte: number, next: number | undefined): void {
    switch (byte) {
      case 0x0a:
        return this.paper.feed(1);
      case 0x0d:
        if (this.returnFeeds) this.paper.feed(1);
        else if (next !== 0x0a) this.paper.returnHead();
        return;
      case 0x0c:
        return this.formFeed();
      case 0x09:
        return this.paper.tab(this.tabs);
      case 0x18:
        return this.paper.cancel();
    }
  }

  private formFeed(): void {
    if (!this.paper.isPageMode) return this.paper.cut();
    this.paper.printPage();
    this.paper.leavePageMode();
  }

  setTabs(bytes: Buffer): void {
    this.tabs = [...bytes].filter((column) => column > 0).map((column) => (column * this.font) / fontDots.a);
  }

  reset(): void {
    this.paper.cancel();
    this.paper.leavePageMode();
    this.paper.lineSpacing = defaultLineSpacing;
    this.sets.reset();
    this.font = fontDots.a;
    this.widthFactor = 1;
    this.spacing = 0;
    this.unit = 1;
    this.tabs = undefined;
  }

  selectMode(mode: number): void {
    this.selectFont(mode & 1);
    this.widthFactor = (mode & 0x20) !== 0 ? 2 : 1;
  }

  selectFont(number: number): void {
    this.font = number === 0 || number === 48 ? fontDots.a : fontDots.b;
  }

  selectSize(size: number): void {
    this.widthFactor = ((size >> 4) & 7) + 1;
  }

  setSpacing(dots: number): void {
    this.spacing = dots * this.unit;
  }

  /** `GS P x y`: horizontal motion is in units of 1/x inch. */
  setMotionUnit(x: number): void {
    this.unit = x === 0 || (x >= headUnits.min && x <= headUnits.max) ? 1 : headUnits.min / x;
  }

  select(devices: number): void {
    this.isSelected = (devices & 1) !== 0;
  }

  get dotsPerUnit(): number {
    return this.unit;
  }
}

type Run = (printer: EscposPrinter, bytes: Buffer, at: number, end: number) => void;
const table = (entries: Readonly<Record<string, Run>>): ReadonlyMap<number, Run> =>
  new Map(Object.entries(entries).map(([name, run]) => [code(name), run]));

/** Commands that only change how text looks, or print nothing, are not listed: their length is enough. */
const commands: Readonly<Record<number, ReadonlyMap<number, Run>>> = {
  [esc]: table({
    '@': (printer) => printer.reset(),
    '!': (printer, bytes, at) => printer.selectMode(bytes[at + 2] ?? 0),
    M: (printer, bytes, at) => printer.selectFont(bytes[at + 2] ?? 0),
    ' ': (printer, bytes, at) => printer.setSpacing(bytes[at + 2] ?? 0),
    '=': (printer, bytes, at) => printer.select(bytes[at + 2] ?? 1),
    $: (printer, bytes, at) => printer.paper.moveToDots(unsigned(bytes, at + 2) * printer.dotsPerUnit),
    '\\': (printer, bytes, at) => printer.paper.moveByDots(signed(bytes, at + 2) * printer.dotsPerUnit),
    D: (printer, bytes, at, end) => printer.setTabs(bytes.subarray(at + 2, end)),
    t: (printer, bytes, at) => printer.sets.selectPage(bytes[at + 2] ?? 0),
    R: (printer, bytes, at) => printer.sets.selectCountry(bytes[at + 2] ?? 0),
    '2': ({ paper }) => void (paper.lineSpacing = defaultLineSpacing),
    '3': ({ paper }, bytes, at) => void (paper.lineSpacing = bytes[at + 2] ?? defaultLineSpacing),
    d: ({ paper }, bytes, at) => paper.feed(bytes[at + 2] ?? 0),
    J: ({ paper }, bytes, at) => paper.feedDots(bytes[at + 2] ?? 0),
    K: ({ paper }, bytes, at) => paper.feedBack(bytes[at + 2] ?? 0),
    e: ({ paper }, bytes, at) => paper.feedBack((bytes[at + 2] ?? 0) * paper.lineSpacing),
    L: ({ paper }) => paper.enterPageMode(),
    S: ({ paper }) => paper.leavePageMode(),
    '\f': ({ paper }) => paper.printPage(),
    W: ({ paper }, bytes, at) =>
      paper.setArea({
        x: unsigned(bytes, at + 2),
        y: unsigned(bytes, at + 4),
        width: unsigned(bytes, at + 6),
        height: unsigned(bytes, at + 8),
      }),
    T: ({ paper }, bytes, at) => paper.setDirection(bytes[at + 2] ?? 0),
    i: ({ paper }) => paper.cut(),
    m: ({ paper }) => paper.cut(),
    '*': ({ paper }, bytes, at) => paper.addImage((bytes[at + 2] ?? 0) >= 32 ? 24 : 8),
  }),
  [gs]: table({
    '!': (printer, bytes, at) => printer.selectSize(bytes[at + 2] ?? 0),
    P: (printer, bytes, at) => printer.setMotionUnit(bytes[at + 2] ?? 0),
    $: ({ paper }, bytes, at) => paper.moveDownTo(unsigned(bytes, at + 2)),
    '\\': ({ paper }, bytes, at) => paper.moveDownBy(signed(bytes, at + 2)),
    V: ({ paper }, bytes, at, end) => {
      if (escposCommandAt(bytes, at)?.kind === 'cut' && end > at) paper.cut();
    },
    k: ({ paper }, bytes, at, end) => addEscposBarcode(bytes, at, end, paper),
    '(': (printer, bytes, at, end) => {
      if (bytes[at + 2] === code('k')) printer.symbols.run(bytes, at, end, printer.paper);
      else if (bytes[at + 6] === storeGraphics) printer.paper.addImage(unsigned(bytes, at + 13));
    },
    '8': ({ paper }, bytes, at) => {
      if (bytes[at + 8] === storeGraphics) paper.addImage(unsigned(bytes, at + 15));
    },
    v: ({ paper }, bytes, at) => paper.addImage(unsigned(bytes, at + 6)),
  }),
  [fs]: table({
    '&': (printer) => printer.sets.setKanji(true),
    '.': (printer) => printer.sets.setKanji(false),
    C: (printer, bytes, at) => printer.sets.selectJapanese(bytes[at + 2] ?? 0),
    '(': (printer, bytes, at) => {
      if (bytes[at + 2] === code('C') && bytes[at + 5] === 48)
        printer.sets.setUtf8(((bytes[at + 6] ?? 0) & 0x0f) === 2);
    },
  }),
  [dle]: table({}),
};

const isText = (byte: number): boolean => byte >= 0x20 && byte !== 0x7f;

/** Prints the data of an ESC/POS printer on paper. */
export function printEscpos(bytes: Buffer, paper: Paper, sets: CharacterSets): void {
  const returnFeeds = !bytes.includes(0x0a);
  const printer = new EscposPrinter(paper, sets, returnFeeds);
  let at = 0;
  while (at < bytes.length) {
    let end = at;
    while (end < bytes.length && isText(bytes[end] ?? 0)) end++;
    if (end > at) printer.print(bytes.subarray(at, end));
    at = end < bytes.length ? printer.control(bytes, end) : end;
  }
}

export const defaultCodePage = 'cp437';

/** Decodes the bytes sent to an ESC/POS printer. A cut or a form feed ends a receipt. */
export function escposDecoder(options: DecodeOptions<'escpos'>): (bytes: Buffer) => Part[] {
  const openSets = CharacterSets.of({
    ...options,
    codepage: options.codepage ?? defaultCodePage,
    printer: options.printer ?? 'epson',
  });
  return (bytes) => {
    const paper = new Paper(options);
    printEscpos(bytes, paper, openSets());
    return paper.finish();
  };
}
