import { pngOfRows } from '../rendering/wallet/icon';

const interlacedAt = 28;

/** A PNG of one colour with transparency. */
export function pngOf(
  width: number,
  height: number,
  { pixels = width * height, interlaced = 0 } = {},
): Buffer {
  const rows = Buffer.alloc(4 * pixels + height, 0x80);
  for (let row = 0; row < height; row++) rows[row * (4 * width + 1)] = 0;
  const png = pngOfRows({ width, height, colourType: 6 }, rows);
  png[interlacedAt] = interlaced;
  return png;
}
