import { tooLarge } from '../../faults/conversion-fault';

/** A text that is printed at once: all its characters have the same width. */
interface Piece {
  readonly text: string;
  /** The column in which it starts, in widths of a character of the standard font. */
  readonly column: number;
  /** The columns that a character takes. */
  readonly cell: number;
  readonly cells: number;
  readonly placed: Move | undefined;
}

/** How the head moved before a text: to a column of the paper, or by a distance. */
type Move = 'absolute' | 'relative';

/** Text without a gap, as seen on the paper. `end` is the end of its last printed character. */
interface Run {
  text: string;
  start: number;
  end: number;
}

/** A shorter move does not show as a space. */
const shownColumnsMin = 0.5;
/** Positions are computed from dots and from points. */
const rounding = 1e-6;

/**
 * No paper is wider, not even with the margin of turned paper. Repeated moves would otherwise make a line of hundreds of
 * millions of spaces.
 */
const columnsMax = 4_000;

/** The maximum number of placed texts in a line. They are compared with each other. */
const placedTextsMax = 500;

const isClose = (gap: number): boolean => Math.abs(gap) < shownColumnsMin - rounding;

function isJoined(before: Piece, piece: Piece): boolean {
  const gap = piece.column - (before.column + before.cells * before.cell);
  if (piece.placed === undefined) return true;
  return isClose(gap) && (piece.placed === 'relative' || gap > rounding);
}

/** The printed part of adjacent pieces; undefined if they are blank. */
function runOf(pieces: readonly Piece[]): Run | undefined {
  let text = '';
  let start: number | undefined;
  let end = 0;
  for (const piece of pieces) {
    const trimmed = piece.text.trimEnd();
    text += piece.text;
    if (trimmed === '') continue;
    start ??= piece.column + (piece.text.length - piece.text.trimStart().length) * piece.cell;
    end = piece.column + (piece.cells - (piece.text.length - trimmed.length)) * piece.cell;
  }
  return start === undefined ? undefined : { text: text.trim(), start, end };
}

/** True if `run` only repeats characters of `other` in the same place, as printers do for bold text. */
function repeats(run: Run, other: Run): boolean {
  if (run.start < other.start - shownColumnsMin) return false;
  if (run.text === other.text) return isClose(run.start - other.start);
  const offset = Math.round(run.start - other.start);
  const isStandardWidth = isClose(other.end - other.start - other.text.length);
  return isStandardWidth && offset >= 0 && other.text.startsWith(run.text, offset);
}

function runsOf(pieces: readonly Piece[]): Run[] {
  const groups: Piece[][] = [];
  for (const piece of pieces) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    if (group && before && isJoined(before, piece)) group.push(piece);
    else groups.push([piece]);
  }
  const runs: Run[] = [];
  for (const group of groups) {
    const run = runOf(group);
    if (!run || runs.some((other) => repeats(run, other))) continue;
    runs.push(run);
  }
  return runs.sort((a, b) => a.start - b.start);
}

/**
 * One line while it is printed. Its text has as many spaces between two texts as there are columns between them on the
 * paper, in the order of the columns.
 */
export class PrintLine {
  private pieces: Piece[] = [];
  private column = 0;
  private moved: Move | undefined;
  private hasMoved = false;

  /** The column of the head. */
  get head(): number {
    return this.column;
  }

  get isEmpty(): boolean {
    return this.pieces.length === 0;
  }

  moveTo(column: number, kind: Move = 'absolute'): void {
    this.column = Math.min(Math.max(0, column), columnsMax);
    this.moved = kind;
    this.hasMoved = true;
  }

  /**
   * @param cell the columns that each character takes
   * @param cells the number of characters; a Chinese character counts twice
   */
  print(text: string, cell = 1, cells = text.length): void {
    this.pieces.push({ text, column: this.column, cell, cells, placed: this.moved });
    this.column += cells * cell;
    this.moved = undefined;
  }

  clear(): void {
    this.pieces = [];
    this.column = 0;
    this.moved = undefined;
    this.hasMoved = false;
  }

  /** The text without trailing spaces. */
  toString(): string {
    if (!this.hasMoved) {
      const [only] = this.pieces;
      const text = this.pieces.length === 1 ? only!.text : this.pieces.map((piece) => piece.text).join('');
      return text.trimEnd();
    }
    if (this.pieces.length > placedTextsMax)
      throw tooLarge('/decode', `a line has more than ${placedTextsMax} placed texts`);
    let line = '';
    let end: number | undefined;
    for (const run of runsOf(this.pieces)) {
      const gap = run.start - (end ?? 0);
      line += ' '.repeat(Math.max(end === undefined ? 0 : 1, Math.round(gap + rounding))) + run.text;
      end = Math.max(end ?? 0, run.end);
    }
    return line;
  }
}
