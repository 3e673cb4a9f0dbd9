import { crc32, deflateSync } from 'node:zlib';

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}

/**
 * A PNG with 8 bits per channel (ISO/IEC 15948).
 * @param rows each row of pixels, preceded by its filter
 */
export function pngOfRows(
  {
    width,
    height,
    colourType,
  }: { readonly width: number; readonly height: number; readonly colourType: 2 | 6 },
  rows: Buffer,
): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, colourType], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The paper of the icon and the lines on it: left, top, width and height on a grid of 29. */
const paper = [7, 4, 15, 21] as const;
const lines = [
  [10, 8, 9, 2],
  [10, 12, 9, 2],
  [10, 18, 5, 3],
] as const;
const gridSize = 29;

const isWithin = (
  [left, top, width, height]: readonly [number, number, number, number],
  x: number,
  y: number,
) => x >= left && x < left + width && y >= top && y < top + height;

/** A receipt on a plain background, as an icon for lock screens. */
export function receiptIcon(colour: string, scale: number): Buffer {
  const size = gridSize * scale;
  const background = Buffer.from(colour.slice(1), 'hex');
  const white = Buffer.alloc(3, 0xff);
  const rows = Buffer.alloc((size * 3 + 1) * size);
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const [column, row] = [x / scale, y / scale];
      const isPaper = isWithin(paper, column, row) && !lines.some((line) => isWithin(line, column, row));
      rows.set(isPaper ? white : background, y * (size * 3 + 1) + 1 + x * 3);
    }
  }
  return pngOfRows({ width: size, height: size, colourType: 2 }, rows);
}
