import { tooLarge } from '../../faults/conversion-fault';
import { linesMax } from '../../decoded/decoded';
import { PrintLine } from './print-line';

/** Lengths on paper are in dots. */
export const dotsPerColumn = 12;
const defaultLineSpacing = 30;
/** Texts whose base lines differ by less are on one line: half the height of a character. */
const sameLineDots = 12;
/** The base line of the first line, below the upper edge of the area. */
const firstBaseLine = 24;

export interface PrintArea {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Row {
  readonly direction: number;
  readonly height: number;
  readonly line: PrintLine;
}

/**
 * The page of page mode: the printer collects texts in any order, and prints the page as a whole. Its lines are in the
 * order of their height. Texts of each direction are read with the paper turned accordingly.
 */
export class PageMode {
  private readonly rows: Row[] = [];
  /** The rows of each direction by height, in steps of the height of a line. */
  private readonly rowsNear = new Map<number, Row[]>();
  private readonly codes: {
    readonly height: number;
    readonly direction: number;
    readonly add: (line: number) => void;
  }[] = [];
  private area: PrintArea = { x: 0, y: 0, width: 0, height: 0 };
  private direction = 0;
  private x = 0;
  private y = firstBaseLine;
  private row: Row | undefined;
  private moved: 'absolute' | 'relative' = 'absolute';
  private hasMoved = true;

  setArea(area: PrintArea): void {
    this.area = area;
    this.goTo(0, firstBaseLine);
  }

  /** 0 from left to right, 1 from bottom to top, 2 upside down, 3 from top to bottom. */
  setDirection(direction: number): void {
    this.direction = direction & 3;
    this.goTo(0, firstBaseLine);
  }

  get head(): number {
    return this.x / dotsPerColumn;
  }

  moveTo(column: number, kind: 'absolute' | 'relative' = 'absolute'): void {
    this.x = Math.max(0, column * dotsPerColumn);
    this.moved = kind;
    this.hasMoved = true;
  }

  /** @param dots from the upper edge of the area */
  moveDownTo(dots: number): void {
    this.y = dots;
    this.hasMoved = true;
  }

  moveDownBy(dots: number): void {
    this.moveDownTo(this.y + dots);
  }

  newLine(dots = defaultLineSpacing): void {
    this.goTo(0, this.y + dots);
  }

  print(text: string, cell: number, cells: number): void {
    const row = this.rowAt(this.y + this.across());
    if (this.hasMoved || row !== this.row) row.line.moveTo(this.along() + this.head, this.moved);
    row.line.print(text, cell, cells);
    this.x += cells * cell * dotsPerColumn;
    this.row = row;
    this.hasMoved = false;
    this.moved = 'absolute';
  }

  /** @param add called with the number of lines above the code when the page is printed */
  addCode(add: (line: number) => void): void {
    this.codes.push({ height: this.y + this.across(), direction: this.direction, add });
  }

  /** The lines of the page in the order of their height. */
  lines(): string[] {
    const directions = [...new Set(this.rows.map(({ direction }) => direction))];
    const rows = directions.flatMap((direction) =>
      this.rows.filter((row) => row.direction === direction).sort((a, b) => a.height - b.height),
    );
    for (const { height, direction, add } of this.codes) {
      const above = rows.filter((row) => row.direction === direction && row.height < height);
      add(above.length);
    }
    const texts = rows.map(({ line }) => line.toString());
    const isTurned = rows.some(({ direction }) => direction !== 0);
    return isTurned ? withoutMargin(texts) : texts;
  }

  private goTo(x: number, y: number): void {
    this.x = x;
    this.y = y;
    this.moved = 'absolute';
    this.hasMoved = true;
  }

  /** The column in which the area begins, along the direction of the text. */
  private along(): number {
    const { x, y, width, height } = this.area;
    const dots = [x, farEdge - (y + height), farEdge - (x + width), y][this.direction] ?? 0;
    return dots / dotsPerColumn;
  }

  /** The distance of the area in dots, across the direction of the text. */
  private across(): number {
    const { x, y, width, height } = this.area;
    return [y, x, farEdge - (y + height), farEdge - (x + width)][this.direction] ?? 0;
  }

  private rowAt(height: number): Row {
    const { direction } = this;
    const step = Math.floor(height / sameLineDots);
    const key = (near: number) => near * 4 + direction;
    for (const near of [step, step - 1, step + 1]) {
      const found = this.rowsNear.get(key(near))?.find((row) => Math.abs(row.height - height) < sameLineDots);
      if (found) return found;
    }
    if (this.rows.length >= linesMax) throw tooLarge('/decode', `the data has more than ${linesMax} lines`);
    const row = { direction, height, line: new PrintLine() };
    this.rows.push(row);
    this.rowsNear.set(key(step), [...(this.rowsNear.get(key(step)) ?? []), row]);
    return row;
  }
}

/** Positions on turned paper count from an edge that no area reaches; the margin is removed afterwards. */
const farEdge = 12_000;

function withoutMargin(lines: readonly string[]): string[] {
  const margins = lines.filter((line) => line !== '').map((line) => line.length - line.trimStart().length);
  const margin = Math.min(...margins);
  return lines.map((line) => line.slice(Math.min(margin, line.length)));
}
