/** A pixel of 1/96 inch. */
export const pointsPerPixel = 0.75;
export const pointsPerMm = 72 / 25.4;

/** Lengths in points. */
export interface Paper {
  readonly width: number;
  /** Undefined for a roll, which is as long as the receipt. */
  readonly height: number | undefined;
  readonly marginX: number;
  readonly marginY: number;
  /** The font size. */
  readonly size: number;
}

/** The maximum page height of PDF readers: 200 inches. */
export const rollHeightMax = 14_400;
