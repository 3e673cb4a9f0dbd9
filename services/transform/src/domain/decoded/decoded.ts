import type { MappingDecode } from '@receipts/contracts';

/** A machine-readable code printed on a receipt. */
export interface PrintedCode {
  /** The line before which it is printed, from 0: the number of lines above. */
  readonly line: number;
  /** For instance `qr`, `code128`, `ean13`. */
  readonly type: string;
  readonly data: string;
}

/** The decoded data of one receipt, as passed to extraction and to the expression. */
export interface Part {
  /** For line formats. */
  readonly lines?: readonly string[];
  /** For tree formats. */
  readonly doc?: unknown;
  readonly codes?: readonly PrintedCode[];
}

export type DecodeOptions<T extends MappingDecode['type']> = Extract<MappingDecode, { type: T }>;

/** The maximum number of lines, elements, rows or receipts in a packet. Real tills send far fewer. */
export const linesMax = 50_000;
export const elementsMax = 200_000;
export const rowsMax = 50_000;
export const partsMax = 500;
