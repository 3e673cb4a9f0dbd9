import { decodeText } from './charset';
import type { DecodeOptions, Part } from '../decoded/decoded';
import { Paper } from './page/paper';
import { noSplit } from './page/page-parts';
import { cellsOf } from './printers/code-page';
import { addOposCode } from './printers/codes';

const escape = '\x1b';
/** The paper of a mapping without `columns`. */
const columnsDefault = 42;
const feedMax = 20;
const widthMax = 8;
const sequenceCharactersMax = 40;
const sequence = /^\|([*!]*)(\d*)([a-z]*)([A-Z])/;
/** The characters from tab to carriage return move the head. */
const tab = 0x09;
const formFeed = 0x0c;
const carriageReturn = 0x0d;

type Alignment = 'left' | 'centre' | 'right';
interface Text {
  readonly text: string;
  readonly cell: number;
}

/** Prints the texts of an OPOS or JavaPOS printer. */
class OposPrinter {
  private alignment: Alignment = 'left';
  private cell = 1;
  /** Text after an alignment sequence in the line, which is placed once its width is known. */
  private aligned: Text[] = [];
  private alignedTo: Alignment = 'left';
  /** Text of a line that begins with an alignment sequence is not indented if it is alone. */
  private isPlaced = false;

  constructor(
    private readonly paper: Paper,
    private readonly columns: number,
    private readonly returnFeeds: boolean,
  ) {}

  print(text: string): void {
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit < tab || unit > carriageReturn) continue;
      if (at > from) this.put(text.slice(from, at));
      this.move(unit);
      from = at + 1;
    }
    if (from < text.length) this.put(from === 0 ? text : text.slice(from));
  }

  align(alignment: Alignment): void {
    this.alignment = alignment;
  }

  resetSize(): void {
    this.cell = 1;
  }

  setWidth(factor: number): void {
    this.cell = factor;
  }

  /** `ESC|N` */
  normal(): void {
    this.alignment = 'left';
    this.resetSize();
  }

  feed(lines: number): void {
    this.endLine();
    this.paper.feed(lines);
  }

  cut(): void {
    this.endLine();
    this.paper.cut();
  }

  addCode(data: string): void {
    this.endLine();
    addOposCode(data, this.paper);
  }

  feedBack(): void {
    this.endLine();
    this.paper.feedBack(0);
  }

  private put(text: string): void {
    if (this.aligned.length > 0 && this.alignedTo !== this.alignment) {
      if (text.trim() === '') return;
      this.flush(true);
    }
    if (this.alignment === 'left') return this.out({ text, cell: this.cell });
    this.aligned.push({ text, cell: this.cell });
    this.alignedTo = this.alignment;
  }

  private out({ text, cell }: Text): void {
    this.paper.print(text, cell, cellsOf(text));
    this.isPlaced = true;
  }

  private move(character: number): void {
    if (character === tab) this.tab();
    else if (character === formFeed) this.cut();
    else if (character !== carriageReturn || this.returnFeeds) this.feed(1);
    else {
      this.endLine();
      this.paper.returnHead();
    }
  }

  private tab(): void {
    this.flush(true);
    this.paper.tab();
    this.isPlaced = true;
  }

  private endLine(): void {
    this.flush(false);
    this.alignment = 'left';
    this.resetSize();
    this.isPlaced = false;
  }

  /** @param isFollowed whether more text of the line follows, so that the columns matter */
  private flush(isFollowed: boolean): void {
    const texts = this.aligned;
    if (texts.length === 0) return;
    this.aligned = [];
    const width = texts.reduce((sum, { text, cell }) => sum + cellsOf(text) * cell, 0);
    const room = this.columns - width;
    if (isFollowed || this.isPlaced)
      this.paper.moveTo(this.alignedTo === 'right' ? room : Math.floor(room / 2));
    for (const text of texts) this.out(text);
  }
}

/** Sequences without an entry only change how text looks. `count` is the number in the sequence. */
const effects: Readonly<Record<string, (printer: OposPrinter, count: number | undefined) => void>> = {
  lF: (printer, count) => printer.feed(Math.min(count ?? 1, feedMax)),
  rF: (printer) => printer.feedBack(),
  P: (printer) => printer.cut(),
  fP: (printer) => printer.cut(),
  sP: (printer) => printer.cut(),
  lA: (printer) => printer.align('left'),
  cA: (printer) => printer.align('centre'),
  rA: (printer) => printer.align('right'),
  N: (printer) => printer.normal(),
  C: (printer, count) => printer.setWidth(count === 2 || count === 4 ? 2 : 1),
  hC: (printer, count = 1) => printer.setWidth(Math.min(Math.max(count, 1), widthMax)),
};

/** @returns the number of following characters that are data for the printer */
function run(printer: OposPrinter, match: RegExpExecArray, text: string, after: number): number {
  const [, , digits = '', letters = '', capital = ''] = match;
  const verb = letters + capital;
  const count = digits === '' ? undefined : Number(digits);
  effects[verb]?.(printer, count);
  if (verb === 'R' && count !== undefined) printer.addCode(text.slice(after, after + count));
  return verb === 'R' || verb === 'E' ? (count ?? 0) : 0;
}

/** Prints text in which UPOS escape sequences are `ESC |` up to a capital letter. */
function printSequences(text: string, printer: OposPrinter): void {
  let from = 0;
  for (let at = text.indexOf(escape); at >= 0; at = text.indexOf(escape, from)) {
    printer.print(text.slice(from, at));
    const match = sequence.exec(text.slice(at + 1, at + 1 + sequenceCharactersMax));
    if (match) {
      const after = at + 1 + match[0].length;
      from = after + run(printer, match, text, after);
    } else from = at + (text[at + 1] === '|' ? 2 : 1);
  }
  printer.print(text.slice(from));
}

/** Decodes text for an OPOS or JavaPOS printer. A cut, a form feed or `split` ends a receipt. */
export function decodeOpos(
  bytes: Buffer,
  options: DecodeOptions<'opos'>,
  contentType: string | null,
): Part[] {
  const { split, columns } = options;
  const text = decodeText(bytes, options.codepage, contentType).replaceAll('\r\n', '\n');
  const texts = split === undefined || split === noSplit ? [text] : text.split(split);
  const paper = new Paper({ columns, split: split === noSplit ? split : undefined });
  for (const one of texts) {
    const printer = new OposPrinter(paper, columns ?? columnsDefault, !one.includes('\n'));
    printSequences(one, printer);
    printer.cut();
  }
  return paper.finish();
}
