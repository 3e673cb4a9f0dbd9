import type { MappingDecode } from '@receipts/contracts';
import { decoderFor } from '../domain/decode/decode';
import type { Part } from '../domain/decoded/decoded';

export type Piece = string | number | readonly number[] | Buffer;

/** Joins texts (in Latin-1), byte values and bytes, as a till sends them. */
export function bytesOf(...parts: Piece[]): Buffer {
  return Buffer.concat(
    parts.map((part) => {
      if (typeof part === 'string') return Buffer.from(part, 'latin1');
      return Buffer.from(typeof part === 'number' ? [part] : part);
    }),
  );
}

const esc = 0x1b;
const gs = 0x1d;
const word = (value: number): [number, number] => [value & 255, (value >> 8) & 255];

/** Commands of ESC/POS, with positions in dots. */
export const escpos = {
  reset: bytesOf(esc, '@'),
  at: (dots: number) => bytesOf(esc, '$', word(dots)),
  by: (dots: number) => bytesOf(esc, '\\', word(dots)),
  down: (dots: number) => bytesOf(gs, '$', word(dots)),
  downBy: (dots: number) => bytesOf(gs, '\\', word(dots)),
  tabs: (...columns: number[]) => bytesOf(esc, 'D', columns, 0),
  page: (n: number) => bytesOf(esc, 't', n),
  country: (n: number) => bytesOf(esc, 'R', n),
  size: (n: number) => bytesOf(gs, '!', n),
  font: (n: number) => bytesOf(esc, 'M', n),
  align: (n: number) => bytesOf(esc, 'a', n),
  feed: (n: number) => bytesOf(esc, 'd', n),
  cut: bytesOf(gs, 'V', 0),
  pageMode: bytesOf(esc, 'L'),
  standardMode: bytesOf(esc, 'S'),
  area: (x: number, y: number, width: number, height: number) =>
    bytesOf(esc, 'W', word(x), word(y), word(width), word(height)),
  direction: (n: number) => bytesOf(esc, 'T', n),
  kanji: bytesOf(0x1c, '&'),
  noKanji: bytesOf(0x1c, '.'),
};

export async function decodePart(
  options: MappingDecode,
  data: string | Buffer,
  contentType: string | null = null,
): Promise<readonly Part[]> {
  return decoderFor(options)(Buffer.from(data), contentType);
}

/** The lines of each part. */
export async function decodeLines(
  options: MappingDecode,
  data: string | Buffer,
  contentType: string | null = null,
): Promise<(readonly string[] | undefined)[]> {
  return (await decodePart(options, data, contentType)).map(({ lines }) => lines);
}
