import { inflateSync } from 'node:zlib';

/** What the first bytes of an image say about it. */
export interface LogoImage {
  readonly type: 'image/png' | 'image/jpeg' | 'image/webp';
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** Why an image cannot be used as a logo. */
export type LogoFault = 'bytes' | 'type' | 'pixels' | 'damaged';

export const logoBytesMax = 256 * 1024;

/**
 * Several times the size at which logos are shown. A PNG may have fewer pixels than other images, because transparent
 * images are decoded for each PDF.
 */
export const logoPixelsMax: Readonly<Record<LogoImage['type'], number>> = {
  'image/png': 300_000,
  'image/jpeg': 4_000_000,
  'image/webp': 4_000_000,
};

type Size = Pick<LogoImage, 'width' | 'height'>;

const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex');
const chunkFrameBytes = 12;
const headBytes = 13;
/** The PDF library cannot read a long text, which is passed to a function character by character. */
const textBytesMax = 32 * 1024;
/** The channels and the bits of each, by the colour type of a PNG (ISO/IEC 15948, table 11.1). */
const pngFormats: Readonly<Record<number, { readonly channels: number; readonly bits: readonly number[] }>> =
  {
    0: { channels: 1, bits: [1, 2, 4, 8, 16] },
    2: { channels: 3, bits: [8, 16] },
    3: { channels: 1, bits: [1, 2, 4, 8] },
    4: { channels: 2, bits: [8, 16] },
    6: { channels: 4, bits: [8, 16] },
  };
/** The last filter of a row of pixels (ISO/IEC 15948, 9.2). */
const filterMax = 4;

const pngSize = (file: Buffer): Size => ({ width: file.readUInt32BE(16), height: file.readUInt32BE(20) });

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

/**
 * Throws for a damaged PNG: the PDF library decodes transparent images in a callback, where an error would end the
 * process. Interlaced images are rejected.
 */
function checkPng(file: Buffer, { width, height }: Size): void {
  const chunks = chunksOf(file);
  const of = (type: string) => chunks.flatMap((chunk) => (chunk.type === type ? [chunk.content] : []));
  const [head, anotherHead] = of('IHDR');
  if (chunks[0]?.content !== head || head?.length !== headBytes || anotherHead)
    throw new Error('the image does not begin with its size, or has several');
  const [bits = 0, colours = 0, , , interlaced] = head.subarray(8);
  const format = pngFormats[colours];
  if (!format?.bits.includes(bits)) throw new Error('the colours are unknown');
  if (interlaced !== 0) throw new Error('the image is interlaced');
  if (colours === 3 && of('PLTE').length === 0) throw new Error('the palette is missing');
  // Only images without an alpha channel may name transparent colours.
  if (of('tRNS').length > 0 && [4, 6].includes(colours)) throw new Error('the transparency is given twice');
  if (of('tEXt').some(({ length }) => length > textBytesMax)) throw new Error('a text is too long');
  const rowBytes = 1 + Math.ceil((width * bits * format.channels) / 8);
  const maxOutputLength = rowBytes * height + 1;
  const pixels = inflateSync(Buffer.concat(of('IDAT')), { maxOutputLength });
  if (pixels.length !== rowBytes * height) throw new Error('the image has too few or too many pixels');
  for (let row = 0; row < height; row++)
    if ((pixels[row * rowBytes] ?? 0) > filterMax) throw new Error('the filter of a row is unknown');
}

/** Frame headers of JPEG files (ITU-T T.81, table B.1). */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

function jpegSize(file: Buffer): Size {
  for (let at = 2; ; at += 2 + file.readUInt16BE(at + 2)) {
    if (file[at] !== 0xff) throw new Error('the image is damaged');
    if (isFrame(file[at + 1] ?? 0))
      return { height: file.readUInt16BE(at + 5), width: file.readUInt16BE(at + 7) };
  }
}

const sizeBits = 0x3fff;

/** Reads the first chunk of a WebP, which is lossy, lossless or extended (RFC 9649, 2.5 to 2.7). */
function webpSize(file: Buffer): Size {
  const chunk = file.toString('latin1', 12, 16);
  if (chunk === 'VP8 ' && file.toString('hex', 23, 26) === '9d012a')
    return { width: file.readUInt16LE(26) & sizeBits, height: file.readUInt16LE(28) & sizeBits };
  if (chunk === 'VP8L' && file[20] === 0x2f) {
    const bits = file.readUInt32LE(21);
    return { width: (bits & sizeBits) + 1, height: ((bits >>> 14) & sizeBits) + 1 };
  }
  if (chunk === 'VP8X') return { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 };
  throw new Error('the image is damaged');
}

function typeOf(file: Buffer): LogoImage['type'] | undefined {
  if (file.subarray(0, pngSignature.length).equals(pngSignature)) return 'image/png';
  if (file.toString('hex', 0, 3) === 'ffd8ff') return 'image/jpeg';
  return /^RIFF.{4}WEBP/s.test(file.toString('latin1', 0, 12)) ? 'image/webp' : undefined;
}

const sizeOf = { 'image/png': pngSize, 'image/jpeg': jpegSize, 'image/webp': webpSize } as const;

/** Reads a PNG, JPEG or WebP by its content, whatever it is called. @returns why not, if it cannot be used as a logo */
export function readLogo(file: Buffer): LogoImage | LogoFault {
  if (file.length > logoBytesMax) return 'bytes';
  const type = typeOf(file);
  if (!type) return 'type';
  try {
    const size = sizeOf[type](file);
    const pixels = size.width * size.height;
    if (pixels > logoPixelsMax[type]) return 'pixels';
    if (type === 'image/png') checkPng(file, size);
    return pixels === 0 ? 'damaged' : { type, ...size };
  } catch {
    return 'damaged';
  }
}
