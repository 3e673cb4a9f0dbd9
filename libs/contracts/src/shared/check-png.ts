import { inflateSync } from 'node:zlib';

export const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex');
const chunkFrameBytes = 12;
const headBytes = 13;
/** The PDF library cannot read a long text, which is passed to a function character by character. */
const textBytesMax = 32 * 1024;
const palette = 3;
/** By the colour type (ISO/IEC 15948, table 11.1). */
const formats: Readonly<Record<number, { readonly channels: number; readonly bits: readonly number[] }>> = {
  0: { channels: 1, bits: [1, 2, 4, 8, 16] },
  2: { channels: 3, bits: [8, 16] },
  [palette]: { channels: 1, bits: [1, 2, 4, 8] },
  4: { channels: 2, bits: [8, 16] },
  6: { channels: 4, bits: [8, 16] },
};
const withAlpha = [4, 6];
/** The last filter of a row of pixels (ISO/IEC 15948, 9.2). */
const filterMax = 4;

interface Chunk {
  readonly type: string;
  readonly content: Buffer;
}

function chunksOf(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = pngSignature.length; chunks.at(-1)?.type !== 'IEND';) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const content = png.subarray(at + 8, at + 8 + length);
    if (content.length < length) throw new Error('the image is truncated');
    chunks.push({ type, content });
    at += length + chunkFrameBytes;
  }
  return chunks;
}

type ContentsOf = (type: string) => readonly Buffer[];

/** @returns the bits of a pixel */
function checkFormat(head: Buffer, contentsOf: ContentsOf): number {
  const [bits = 0, colours = 0, , , interlaced] = head.subarray(8);
  const format = formats[colours];
  if (!format?.bits.includes(bits)) throw new Error('the colours are unknown');
  if (interlaced !== 0) throw new Error('the image is interlaced');
  if (colours === palette && contentsOf('PLTE').length === 0) throw new Error('the palette is missing');
  const isTwice = withAlpha.includes(colours) && contentsOf('tRNS').length > 0;
  if (isTwice) throw new Error('the transparency is given twice');
  return bits * format.channels;
}

function checkPixels(data: Buffer, rowBytes: number, height: number): void {
  const pixels = inflateSync(data, { maxOutputLength: rowBytes * height + 1 });
  if (pixels.length !== rowBytes * height) throw new Error('the image has too few or too many pixels');
  for (let at = 0; at < pixels.length; at += rowBytes)
    if (pixels.readUInt8(at) > filterMax) throw new Error('the filter of a row is unknown');
}

/**
 * Throws for a damaged PNG: the PDF library decodes transparent images in a callback, where an error would end the
 * process. Interlaced images are rejected.
 * @param size as its first chunk says
 */
export function checkPng(file: Buffer, size: { readonly width: number; readonly height: number }): void {
  const chunks = chunksOf(file);
  const contentsOf: ContentsOf = (type) =>
    chunks.flatMap((chunk) => (chunk.type === type ? [chunk.content] : []));
  const [head, another] = contentsOf('IHDR');
  if (!head || head.length !== headBytes || chunks[0]?.content !== head || another)
    throw new Error('the image does not begin with its size, or has several');
  const pixelBits = checkFormat(head, contentsOf);
  if (contentsOf('tEXt').some(({ length }) => length > textBytesMax)) throw new Error('a text is too long');
  const rowBytes = 1 + Math.ceil((size.width * pixelBits) / 8);
  checkPixels(Buffer.concat(contentsOf('IDAT')), rowBytes, size.height);
}
