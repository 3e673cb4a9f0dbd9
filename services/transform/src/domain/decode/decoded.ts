import type { MappingDecode } from '@receipts/contracts';

/** A machine-readable code that was printed on a receipt. */
export interface PrintedCode {
  readonly type: 'qr' | 'barcode';
  readonly data: string;
}

/** One receipt's worth of a packet, as extraction and expression see it. */
export interface Part {
  /** Of the line formats. */
  readonly lines?: readonly string[];
  /** Of the tree formats. */
  readonly doc?: unknown;
  readonly codes?: readonly PrintedCode[];
}

export type DecodeOptions<T extends MappingDecode['type']> = Extract<MappingDecode, { type: T }>;

/** More lines, elements, rows or receipts than this are no till's doing. */
export const linesMax = 50_000;
export const elementsMax = 200_000;
export const rowsMax = 50_000;
export const partsMax = 500;
