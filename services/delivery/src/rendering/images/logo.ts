import { inflateSync } from 'node:zlib';

/** An image that e-mails and PDFs contain, because they must not load anything. */
export interface Logo {
  readonly content: Buffer;
  readonly type: 'image/png' | 'image/jpeg';
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** Returns the image at a URL; undefined if it cannot be used. Never rejects. */
export type FindLogo = (url: string | null) => Promise<Logo | undefined>;

export const logoBytesMax = 200 * 1024;
/** Several times the size at which logos are shown. Transparent images are decoded for each PDF. */
const logoPixelsMax = 300_000;

/** The largest size at which a logo is shown in e-mails and PDFs, in pixels of 1/96 inch. */
const shownMax = { width: 160, height: 56 } as const;

/** The size at which a logo is shown, in pixels of 1/96 inch or another unit. */
export function shownSize(
  { width, height }: Logo,
  unit = 1,
): { readonly width: number; readonly height: number } {
  const scale = Math.min(1, shownMax.width / width, shownMax.height / height);
  const shown = (pixels: number) => Math.max(1, Math.round(pixels * scale)) * unit;
  return { width: shown(width), height: shown(height) };
}

const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex');
const chunkFrameBytes = 12;
/** By the colour type of a PNG (ISO/IEC 15948, 11.2.2). */
const channelsOf: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/**
 * Returns the size of a PNG, or throws if it is damaged: the PDF library decodes transparent images in a callback, where
 * an error would end the process. Interlaced images are rejected.
 */
function pngSize(file: Buffer): { readonly width: number; readonly height: number } {
  const width = file.readUInt32BE(16);
  const height = file.readUInt32BE(20);
  const [bits = 0, colours = 0, , , interlaced] = file.subarray(24, 29);
  if (width * height > logoPixelsMax || interlaced !== 0) throw new Error('the image cannot be used');
  const data: Buffer[] = [];
  let hasPalette = false;
  for (let at = pngSignature.length, type = ''; type !== 'IEND';) {
    const length = file.readUInt32BE(at);
    type = file.toString('latin1', at + 4, at + 8);
    const content = file.subarray(at + 8, at + 8 + length);
    if (content.length < length) throw new Error('the image is truncated');
    if (type === 'IDAT') data.push(content);
    if (type === 'PLTE') hasPalette = true;
    at += length + chunkFrameBytes;
  }
  const expected = (Math.ceil((width * bits * (channelsOf[colours] ?? 0)) / 8) + 1) * height;
  const decoded = inflateSync(Buffer.concat(data), { maxOutputLength: expected + 1 }).length;
  if (decoded !== expected || (colours === 3 && !hasPalette)) throw new Error('the image is damaged');
  return { width, height };
}

/** Frame headers of JPEG files (ITU-T T.81, table B.1). */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

function jpegSize(file: Buffer): { readonly width: number; readonly height: number } {
  for (let at = 2; ; at += 2 + file.readUInt16BE(at + 2)) {
    if (file[at] !== 0xff) throw new Error('the image is damaged');
    if (isFrame(file[at + 1] ?? 0))
      return { height: file.readUInt16BE(at + 5), width: file.readUInt16BE(at + 7) };
  }
}

/** Reads an image; undefined if it is neither a PNG nor a JPEG, or damaged. */
export function logoOf(content: Buffer): Logo | undefined {
  const isPng = content.subarray(0, pngSignature.length).equals(pngSignature);
  if (!isPng && content.toString('hex', 0, 2) !== 'ffd8') return undefined;
  try {
    const { width, height } = isPng ? pngSize(content) : jpegSize(content);
    if (width === 0 || height === 0) return undefined;
    return { content, type: isPng ? 'image/png' : 'image/jpeg', width, height };
  } catch {
    return undefined;
  }
}
