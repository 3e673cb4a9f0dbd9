import { checkPng, pngSignature } from './check-png';

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

const pngSize = (file: Buffer): Size => ({ width: file.readUInt32BE(16), height: file.readUInt32BE(20) });

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
