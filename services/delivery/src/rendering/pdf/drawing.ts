import type { Style } from './text-pen';

export interface Row {
  readonly label: string;
  readonly amount: string;
}

/** An element of the document's structure, which screen readers follow. */
export type Element = ReturnType<PDFKit.PDFDocument['struct']>;

export interface PlacedText {
  readonly text: string;
  readonly x: number;
  readonly style: Style;
  readonly element?: Element;
}

/** A drawing, placed below the previous drawing. With a height of 0, it takes no space; without `draw`, it is a gap. */
export interface Drawing {
  readonly height: number;
  readonly draw?: () => void;
}

/** Lengths are in points. */
export interface Figure {
  readonly width: number;
  readonly height: number;
  readonly href?: string;
}
