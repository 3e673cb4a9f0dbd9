import { commandEnd, starCommandAt } from '@receipts/printer-commands';
import type { DecodeOptions, Part } from '../decoded/decoded';
import { Paper } from './page/paper';
import { CharacterSets } from './printers/character-sets';
import { addStarBarcode, StoredSymbols } from './printers/codes';

const esc = 0x1b;
const gs = 0x1d;
const rs = 0x1e;
const standardPitch = 12;
/** The width of a font B character, in dots. */
const fontBPitch = 9;
/** The height of a bit image, in dots. */
const imageRows = 24;
/** In dots. */
const quarterMillimetre = 2;

const code = (character: string): number => character.charCodeAt(0);
const unsigned = (bytes: Buffer, at: number): number => (bytes[at] ?? 0) + 256 * (bytes[at + 1] ?? 0);
const signed = (bytes: Buffer, at: number): number => (unsigned(bytes, at) << 16) >> 16;
/** Parameters are sent as numbers or as digits. */
const digit = (byte = 0): number => (byte >= 48 && byte <= 57 ? byte - 48 : byte);

/** Translates the commands of Star line mode and StarPRNT into moves, text and cuts on the paper. */
class StarPrinter {
  private pitch = standardPitch;
  private widthFactor = 1;
  private spacing = 0;
  private tabs: readonly number[] | undefined;
  private isRaster = false;
  private readonly symbols = new StoredSymbols();

  constructor(
    readonly paper: Paper,
    readonly sets: CharacterSets,
    private readonly returnFeeds: boolean,
  ) {}

  print(bytes: Buffer): void {
    const { text, cells } = this.sets.decode(bytes);
    this.paper.print(text, ((this.pitch + this.spacing) * this.widthFactor) / standardPitch, cells);
  }

  /** @returns the position after the control character or command */
  control(bytes: Buffer, at: number): number {
    if (bytes[at] !== esc) {
      this.character(bytes[at] ?? 0, bytes[at + 1]);
      return at + 1;
    }
    const end = commandEnd(starCommandAt, bytes, at);
    const name = bytes[at + 1] ?? 0;
    if (name === gs) this.extended(bytes, at, end);
    else if (name === rs) this.setting(bytes[at + 2], bytes[at + 3]);
    else commands[String.fromCharCode(name)]?.(this, bytes, at, end);
    return end;
  }

  /** In raster mode, `b nL nH d...` and `k nL nH d...` are rows of an image. */
  get isImage(): boolean {
    return this.isRaster;
  }

  rasterRow(bytes: Buffer, at: number): number {
    const byte = bytes[at];
    if (byte === esc) return this.control(bytes, at);
    if (byte !== code('b') && byte !== code('k')) return at + 1;
    this.paper.addImage(1);
    return at + 3 + unsigned(bytes, at + 1);
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
        return this.paper.isPageMode ? this.printPage(true) : this.paper.cut();
      case 0x09:
        return this.paper.tab(this.tabs);
      case 0x18:
        return this.paper.cancel();
      case 0x0e:
        this.widthFactor = 2;
        return;
      case 0x14:
        this.widthFactor = 1;
    }
  }

  reset(): void {
    this.paper.cancel();
    this.paper.leavePageMode();
    this.sets.reset();
    this.pitch = standardPitch;
    this.widthFactor = 1;
    this.spacing = 0;
    this.tabs = undefined;
  }

  selectPitch(dots: number): void {
    this.pitch = dots;
  }

  selectWidth(factor: number): void {
    this.widthFactor = factor;
  }

  setSpacing(dots: number): void {
    this.spacing = dots;
  }

  setTabs(columns: Buffer): void {
    this.tabs = [...columns]
      .filter((column) => column > 0)
      .map((column) => (column * this.pitch) / standardPitch);
  }

  /** `ESC * r A` and `ESC * r B` */
  raster(order: number | undefined): void {
    if (order === code('A')) this.isRaster = true;
    else if (order === code('B')) this.isRaster = false;
  }

  /** `ESC p`: JIS */
  startJis(): void {
    this.sets.selectJapanese(0);
    this.sets.setKanji(true);
  }

  private setting(name: number | undefined, value: number | undefined): void {
    if (name === code('F')) this.pitch = digit(value) === 0 ? standardPitch : fontBPitch;
  }

  private extended(bytes: Buffer, at: number, end: number): void {
    const { paper } = this;
    switch (String.fromCharCode(bytes[at + 2] ?? 0)) {
      case 'A':
        return paper.moveToDots(unsigned(bytes, at + 3));
      case 'R':
        return paper.moveByDots(signed(bytes, at + 3));
      case 't':
        return this.sets.selectPage(bytes[at + 3] ?? 0);
      case 'S':
        return paper.addImage(unsigned(bytes, at + 6));
      case 'y':
        return this.symbol('qr', bytes, at, end, 8);
      case 'x':
        return this.symbol('pdf417', bytes, at, end, 6);
      case 'P':
        return this.pageMode(digit(bytes[at + 3]), bytes, at);
    }
  }

  private symbol(type: string, bytes: Buffer, at: number, end: number, headBytes: number): void {
    if (bytes[at + 3] === code('P')) this.symbols.print(type, this.paper);
    else if (bytes[at + 3] === code('D')) this.symbols.store(type, bytes.subarray(at + headBytes, end));
  }

  private printPage(isLeft: boolean): void {
    this.paper.printPage();
    if (isLeft) this.paper.leavePageMode();
  }

  /** `ESC GS P n` */
  private pageMode(order: number, bytes: Buffer, at: number): void {
    const { paper } = this;
    if (order === 0) paper.enterPageMode();
    else if (order === 1) paper.leavePageMode();
    else if (order === 2) paper.setDirection(digit(bytes[at + 4]));
    else if (order === 3)
      paper.setArea({
        x: unsigned(bytes, at + 4),
        y: unsigned(bytes, at + 6),
        width: unsigned(bytes, at + 8),
        height: unsigned(bytes, at + 10),
      });
    else if (order === 4) paper.moveDownTo(unsigned(bytes, at + 4));
    else if (order === 5) paper.moveDownBy(signed(bytes, at + 4));
    else if (order === 6 || order === 7) this.printPage(order === 7);
    else if (order === 8) paper.cancel();
  }
}

type Run = (printer: StarPrinter, bytes: Buffer, at: number, end: number) => void;

const image: Run = ({ paper }) => paper.addImage(imageRows);

/** Commands that only change how text looks, or print nothing, are not listed: their length is enough. */
const commands: Readonly<Record<string, Run>> = {
  '@': (printer) => printer.reset(),
  M: (printer) => printer.selectPitch(standardPitch),
  P: (printer) => printer.selectPitch(15),
  ':': (printer) => printer.selectPitch(16),
  g: (printer) => printer.selectPitch(14),
  ' ': (printer, bytes, at) => printer.setSpacing(digit(bytes[at + 2])),
  W: (printer, bytes, at) => printer.selectWidth(digit(bytes[at + 2]) + 1),
  i: (printer, bytes, at) => printer.selectWidth(digit(bytes[at + 3]) + 1),
  D: (printer, bytes, at, end) => printer.setTabs(bytes.subarray(at + 2, end)),
  R: ({ sets }, bytes, at) => sets.selectCountry(digit(bytes[at + 2])),
  p: (printer) => printer.startJis(),
  q: ({ sets }) => sets.setKanji(false),
  $: ({ sets }, bytes, at) => sets.setKanji(digit(bytes[at + 2]) === 1),
  d: ({ paper }) => paper.cut(),
  a: ({ paper }, bytes, at) => paper.feed(digit(bytes[at + 2])),
  J: ({ paper }, bytes, at) => paper.feedDots((bytes[at + 2] ?? 0) * quarterMillimetre),
  I: ({ paper }, bytes, at) => paper.feedDots((bytes[at + 2] ?? 0) * quarterMillimetre),
  j: ({ paper }, bytes, at) => paper.feedBack((bytes[at + 2] ?? 0) * quarterMillimetre),
  b: ({ paper }, bytes, at, end) => addStarBarcode(bytes, at, end, paper),
  '*': (printer, bytes, at) => printer.raster(bytes[at + 3]),
  k: image,
  X: image,
  K: image,
  L: image,
};

const isText = (byte: number): boolean => byte >= 0x20 && byte !== 0x7f;

/** Decodes the bytes sent to a Star printer. A cut or a form feed ends a receipt. */
export function starDecoder(options: DecodeOptions<'star'>): (bytes: Buffer) => Part[] {
  const openSets = CharacterSets.of({
    ...options,
    codepage: options.codepage ?? 'star/standard',
    printer: options.printer ?? 'star',
  });
  return (bytes) => {
    const paper = new Paper(options);
    const printer = new StarPrinter(paper, openSets(), !bytes.includes(0x0a));
    let at = 0;
    while (at < bytes.length) {
      if (printer.isImage) {
        at = printer.rasterRow(bytes, at);
        continue;
      }
      let end = at;
      while (end < bytes.length && isText(bytes[end] ?? 0)) end++;
      if (end > at) printer.print(bytes.subarray(at, end));
      at = end < bytes.length ? printer.control(bytes, end) : end;
    }
    return paper.finish();
  };
}
