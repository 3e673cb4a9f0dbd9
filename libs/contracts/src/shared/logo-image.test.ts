import { crc32, deflateSync } from 'node:zlib';
import { logoBytesMax, readLogo } from './logo-image';

const ascii = (text: string) => Buffer.from(text, 'latin1');

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([ascii(type), content]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}

interface PngFormat {
  readonly bits?: number;
  readonly colours?: number;
  readonly interlaced?: number;
}

function pngHead(width: number, height: number, { bits = 8, colours = 0, interlaced = 0 }: PngFormat = {}) {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([bits, colours, 0, 0, interlaced], 8);
  return chunk('IHDR', head);
}

const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex');
const pngEnd = chunk('IEND', Buffer.alloc(0));

interface PngContent extends PngFormat {
  readonly rows?: number;
  readonly channels?: number;
  /** The filter of the last row. */
  readonly filter?: number;
  /** Chunks before the pixels. */
  readonly more?: readonly Buffer[];
}

/** A black PNG. */
function png(width: number, height: number, content: PngContent = {}): Buffer {
  const { rows = height, bits = 8, channels = 1, filter = 0, more = [] } = content;
  const rowBytes = 1 + (width * bits * channels) / 8;
  const pixels = Buffer.alloc(rowBytes * rows);
  if (filter > 0) pixels[rowBytes * (rows - 1)] = filter;
  const data = chunk('IDAT', deflateSync(pixels));
  return Buffer.concat([pngSignature, pngHead(width, height, content), ...more, data, pngEnd]);
}

const transparent = chunk('tRNS', Buffer.alloc(2));

/** A PNG whose first chunk only looks like the one with its size. */
const privateFirst = Buffer.concat([
  pngSignature,
  chunk('prIv', pngHead(9, 9).subarray(8, 21)),
  png(9, 9).subarray(pngSignature.length),
]);

/** The parts of a JPEG before its frame header, and the header with a size of 320 to 96. */
const jpegHead = 'ffd8ffe000104a46494600010100000100010000ffc000110800';
const jpeg = Buffer.from(`${jpegHead}60014003012200`, 'hex');

const webp = (kind: string, content: string) =>
  Buffer.concat([ascii('RIFF\0\0\0\0WEBP'), ascii(kind), Buffer.alloc(4), Buffer.from(content, 'hex')]);

it.each([
  ['PNG', png(300, 90), 'image/png', 300, 90],
  ['PNG with a filter', png(300, 90, { filter: 4 }), 'image/png', 300, 90],
  ['PNG with a text', png(300, 90, { more: [chunk('tEXt', ascii('Author\0Jo'))] }), 'image/png', 300, 90],
  ['JPEG', jpeg, 'image/jpeg', 320, 96],
  ['lossy WebP', webp('VP8 ', '0000009d012a40016000'), 'image/webp', 320, 96],
  ['lossless WebP', webp('VP8L', '2f3fc11700'), 'image/webp', 320, 96],
  ['extended WebP', webp('VP8X', '000000003f01005f0000'), 'image/webp', 320, 96],
])('reads %s', (_what, file, type, width, height) => {
  expect(readLogo(file)).toEqual({ type, width, height });
});

it.each([
  ['nothing', Buffer.alloc(0), 'type'],
  ['SVG', ascii('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'type'],
  ['a page that begins like a JPEG', ascii('\u00ff\u00d8<script>'), 'type'],
  ['a sound', ascii('RIFF\0\0\0\0WAVEfmt '), 'type'],
  ['a file that is too large', Buffer.alloc(logoBytesMax + 1), 'bytes'],
  ['a PNG with too many pixels', png(1_000, 301), 'pixels'],
  ['a JPEG with too many pixels', Buffer.from(`${jpegHead.slice(0, -2)}ffffffff03`, 'hex'), 'pixels'],
  ['a PNG without height', png(300, 0), 'damaged'],
  ['an interlaced PNG', png(300, 90, { interlaced: 1 }), 'damaged'],
  ['a PNG with an unknown filter', png(300, 90, { filter: 5 }), 'damaged'],
  ['a PNG with two sizes', png(300, 90, { more: [pngHead(60_000, 60_000)] }), 'damaged'],
  ['a PNG that does not begin with its size', privateFirst, 'damaged'],
  ['a PNG with a long text', png(300, 90, { more: [chunk('tEXt', Buffer.alloc(200_000))] }), 'damaged'],
  ['a PNG with two transparencies', png(32, 9, { colours: 4, channels: 2, more: [transparent] }), 'damaged'],
  ['a PNG with too many bits', png(320, 90, { bits: 32 }), 'damaged'],
  ['a PNG with unknown colours', png(320, 90, { colours: 5, bits: 0 }), 'damaged'],
  ['a PNG with too few rows', png(300, 90, { rows: 89 }), 'damaged'],
  ['a truncated PNG', png(300, 90).subarray(0, -20), 'damaged'],
  ['the signature of a PNG', png(300, 90).subarray(0, 8), 'damaged'],
  ['a truncated JPEG', jpeg.subarray(0, 20), 'damaged'],
  ['a JPEG that does not continue with a marker', Buffer.from('ffd8ff00000000', 'hex'), 'damaged'],
  ['a truncated WebP', webp('VP8X', '00'), 'damaged'],
  ['a WebP of another kind', webp('ALPH', '00000000000000000000'), 'damaged'],
])('says what is wrong with %s', (_what, file, fault) => {
  expect(readLogo(file)).toBe(fault);
});
