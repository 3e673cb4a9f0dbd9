import { decodeFailed, tooLarge } from '../../faults/conversion-fault';
import { linesMax, partsMax, type Part, type PrintedCode } from '../../decoded/decoded';
import { joined, partsOfLines, type Layout } from './page-parts';
import { dotsPerColumn, PageMode, type PrintArea } from './page-mode';
import { PrintLine } from './print-line';

/**
 * The maximum length of text in codes. One stored code can be printed any number of times, so the total must be limited.
 */
const codeCharactersMax = 500_000;
/** A job without text that prints images of this height (75 mm) is a slip that cannot be read, not a logo. */
const imageRowsMax = 600;
const defaultLineSpacing = 30;
const tabColumns = 8;
/** Columns are quotients of dots, so a head that stands on a column can be off by a rounding error. */
const roundingError = 1e-6;
/** Lines that are closer to each other are printed in the same place. */
const samePlaceDots = 12;
/** A printer feeds paper back by a few lines. */
const fedBackLinesMax = 50;

/**
 * The paper of a virtual printer. Front ends translate the commands of a printer language into moves of the head, text
 * and cuts; the lines come out as a person reads them.
 */
export class Paper {
  /** In dots. */
  lineSpacing = defaultLineSpacing;
  private readonly parts: Part[] = [];
  private lines: string[] = [];
  private codes: PrintedCode[] = [];
  private readonly line = new PrintLine();
  private page: PageMode | undefined;
  private codeCharacters = 0;
  private lineCount = 0;
  private imageRows = 0;
  /** The vertical position of the head, and the lowest that it has reached. */
  private y = 0;
  private lowest = 0;
  private heights: number[] = [];

  constructor(private readonly layout: Layout) {}

  get isPageMode(): boolean {
    return this.page !== undefined;
  }

  get head(): number {
    return (this.page ?? this.line).head;
  }

  /** @param column in widths of a character of the standard font */
  moveTo(column: number): void {
    (this.page ?? this.line).moveTo(column, 'absolute');
  }

  moveBy(columns: number): void {
    const target = this.page ?? this.line;
    target.moveTo(target.head + columns, 'relative');
  }

  /**
   * Moves to the next tab stop. After the last one, the head stays, and a new text begins.
   * @param stops in columns; every 8 columns by default
   */
  tab(stops?: readonly number[]): void {
    const from = this.head + roundingError;
    const next = stops ? stops.find((stop) => stop > from) : (Math.floor(from / tabColumns) + 1) * tabColumns;
    this.moveTo(next ?? this.head);
  }

  moveToDots(dots: number): void {
    this.moveTo(dots / dotsPerColumn);
  }

  moveByDots(dots: number): void {
    this.moveBy(dots / dotsPerColumn);
  }

  print(text: string, cell: number, cells: number): void {
    (this.page ?? this.line).print(text, cell, cells);
  }

  /** Prints the line and feeds the paper by some lines. Without lines, the next text is printed in the same place. */
  feed(lines: number): void {
    this.feedDots(lines * this.lineSpacing, lines);
  }

  /** @param blankLines how many lines the distance is; a shorter feed that is not 0 ends a line that has text */
  feedDots(dots: number, blankLines = Math.floor(dots / Math.max(this.lineSpacing, 1))): void {
    if (this.page) return this.page.newLine(dots);
    if (this.line.isEmpty) {
      for (let count = 0; count < blankLines; count++) this.addLine('');
    } else if (dots === 0 && blankLines === 0) this.line.moveTo(0);
    else {
      this.endLine();
      for (let count = 1; count < blankLines; count++) this.addLine('');
    }
    this.y += dots;
    this.lowest = Math.max(this.lowest, this.y);
  }

  /** Returns the head to the start of the line, which is printed over. */
  returnHead(): void {
    this.moveTo(0);
  }

  /** Prints the line and feeds the paper back. Lines keep the order in which they were sent. */
  feedBack(dots: number): void {
    if (this.page) return this.page.newLine(-dots);
    if (!this.line.isEmpty) this.endLine();
    this.y -= dots;
  }

  /** Drops what has not been printed. */
  cancel(): void {
    this.line.clear();
    if (this.page) this.page = new PageMode();
  }

  enterPageMode(): void {
    if (!this.line.isEmpty) this.endLine();
    this.page ??= new PageMode();
  }

  /** The page is dropped unless it was printed. */
  leavePageMode(): void {
    this.page = undefined;
  }

  setArea(area: PrintArea): void {
    this.page?.setArea(area);
  }

  setDirection(direction: number): void {
    this.page?.setDirection(direction);
  }

  moveDownTo(dots: number): void {
    this.page?.moveDownTo(dots);
  }

  moveDownBy(dots: number): void {
    this.page?.moveDownBy(dots);
  }

  printPage(): void {
    for (const line of this.page?.lines() ?? []) this.addLine(line);
  }

  addCode(type: string, data: string): void {
    this.codeCharacters += data.length;
    if (this.codeCharacters > codeCharactersMax) throw tooLarge('/decode', 'the printed codes are too long');
    const add = (above: number) => this.codes.push({ line: this.lines.length + above, type, data });
    if (this.page) this.page.addCode(add);
    else {
      if (!this.line.isEmpty) this.endLine();
      add(0);
    }
  }

  /** @param rows the height in dots */
  addImage(rows: number): void {
    this.imageRows += rows;
  }

  /** A cut or a form feed: the part ends. */
  cut(): void {
    this.printPage();
    this.page = undefined;
    if (!this.line.isEmpty) this.endLine();
    this.line.clear();
    this.parts.push(...partsOfLines({ lines: this.lines, codes: this.codes }, this.layout));
    if (this.parts.length > partsMax) throw tooLarge('/decode', `the data has more than ${partsMax} parts`);
    this.lines = [];
    this.codes = [];
    this.heights = [];
    this.y = 0;
    this.lowest = 0;
  }

  /** @throws ConversionError `decode_failed` if the job prints a slip as an image */
  finish(): Part[] {
    this.cut();
    if (this.parts.length === 0 && this.imageRows > imageRowsMax) throw decodeFailed('prints only images');
    return joined(this.parts, this.layout);
  }

  private endLine(): void {
    const text = this.line.toString();
    this.line.clear();
    if (this.y < this.lowest && this.isPrinted(text)) return;
    this.heights[this.lines.length] = this.y;
    this.addLine(text);
  }

  /** True if the paper was fed back, and the same text is already in this place. */
  private isPrinted(text: string): boolean {
    for (
      let index = this.lines.length - 1;
      index >= Math.max(0, this.lines.length - fedBackLinesMax);
      index--
    ) {
      const distance = Math.abs((this.heights[index] ?? Infinity) - this.y);
      if (distance < samePlaceDots && this.lines[index] === text) return true;
    }
    return false;
  }

  private addLine(text: string): void {
    this.lineCount += 1;
    if (this.lineCount > linesMax) throw tooLarge('/decode', `the data has more than ${linesMax} lines`);
    this.lines.push(text);
  }
}
