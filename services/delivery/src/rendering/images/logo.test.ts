import { pngOf } from '../../testing/png';
import { logoOf, shownSize } from './logo';

/** The parts of a JPEG before its frame header, and the header. */
const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0000b080060014001011100', 'hex');

it('reads PNG and JPEG', () => {
  expect(logoOf(pngOf(300, 90))).toMatchObject({ type: 'image/png', width: 300, height: 90 });
  expect(logoOf(jpeg)).toMatchObject({ type: 'image/jpeg', width: 320, height: 96 });
});

it.each([
  ['nothing', Buffer.alloc(0)],
  ['another format', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['a truncated PNG', pngOf(300, 90).subarray(0, -20)],
  ['a PNG with too few pixels', pngOf(300, 90, { pixels: 100 })],
  ['a PNG with too many pixels', pngOf(300, 90, { pixels: 1_000_000 })],
  ['a PNG that takes long to decode', pngOf(3_000, 1_000)],
  ['an interlaced PNG', pngOf(300, 90, { interlaced: 1 })],
  ['a PNG whose data is not compressed', Buffer.from(pngOf(300, 90)).fill(7, 45, 60)],
  ['a truncated JPEG', jpeg.subarray(0, 20)],
])('does not use %s', (_what, content) => {
  expect(logoOf(content)).toBeUndefined();
});

it('keeps its proportions', () => {
  const of = (width: number, height: number) => {
    const shown = shownSize({ content: Buffer.alloc(0), type: 'image/png', width, height });
    return [shown.width, shown.height];
  };
  expect([of(400, 100), of(100, 400), of(80, 20), of(4_000, 1)]).toEqual([
    [160, 40],
    [14, 56],
    [80, 20],
    [160, 1],
  ]);
});
