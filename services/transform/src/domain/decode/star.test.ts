import iconv from 'iconv-lite';
import { bytesOf, decodeLines, decodePart, type Piece } from '../../testing/printer-bytes';

const star = { type: 'star' } as const;
const esc = 0x1b;
const gs = 0x1d;
const lines = async (...parts: Piece[]) => (await decodeLines(star, bytesOf(...parts))).flat();

test('text and cuts', async () => {
  const slip = bytesOf(
    esc,
    '@',
    'SHOP\n',
    esc,
    'E',
    'TOTAL',
    esc,
    'F',
    ' 5.00\n',
    esc,
    'd',
    3,
    'COPY\n',
    esc,
    'd',
    0,
  );
  expect(await decodeLines(star, slip)).toEqual([['SHOP', 'TOTAL 5.00'], ['COPY']]);
});

test('code pages by the numbers of Star', async () => {
  const slip = [
    esc,
    gs,
    't',
    4,
    iconv.encode('€', 'cp858'),
    esc,
    gs,
    't',
    10,
    iconv.encode('Чай', 'cp866'),
    '\n',
  ];
  expect(await lines(...slip)).toEqual(['€Чай']);
});

test('national sets', async () => {
  expect(await lines(esc, 'R', 3, '#5\n')).toEqual(['£5']);
});

test('positions, tabs and widths', async () => {
  expect(await lines('BEER', esc, gs, 'A', 240, 0, '2', esc, gs, 'R', 36, 0, '4.00\n')).toEqual([
    'BEER                2   4.00',
  ]);
  expect(await lines(esc, 'D', 10, 0, 'A\tB\n')).toEqual(['A         B']);
  expect(await lines(esc, 'i', 0, 1, 'AB', esc, 'i', 0, 0, esc, gs, 'A', 120, 0, 'C\n')).toEqual([
    'AB      C',
  ]);
  expect(await lines(esc, 'W', 1, 'AB', esc, 'W', 0, esc, gs, 'A', 120, 0, 'C\n')).toEqual(['AB      C']);
});

test('the alignment of a whole line adds no spaces', async () => {
  expect(await lines(esc, gs, 'a', 1, 'SHOP\n')).toEqual(['SHOP']);
});

test('bar codes and symbols', async () => {
  const barcode = [esc, 'b', 6, 2, 1, 40, 'A-17', 0x1e];
  const qr = [esc, gs, 'yS0', 2, esc, gs, 'yD1', 0, 3, 0, 'a/b', esc, gs, 'yP'];
  const pdf = [esc, gs, 'xD', 2, 0, 'pq', esc, gs, 'xP'];
  const [part] = await decodePart(star, bytesOf('A\n', ...barcode, ...qr, ...pdf, 'B\n'));
  expect(part).toEqual({
    lines: ['A', 'B'],
    codes: [
      { line: 1, type: 'code128', data: 'A-17' },
      { line: 1, type: 'qr', data: 'a/b' },
      { line: 1, type: 'pdf417', data: 'pq' },
    ],
  });
});

test('raster images are skipped', async () => {
  const graphics = [esc, gs, 'S', 1, 2, 0, 2, 0, 0, '\n\n\n\n'];
  const rows = [esc, '*rA', esc, '*rP0\0', 'b', 2, 0, '\n\n', 'b', 1, 0, '\n', esc, '*rB'];
  const columns = [esc, 'X', 2, 0, '\n\n\n\n\n\n'];
  expect(await lines(...graphics, ...rows, ...columns, 'A\n')).toEqual(['A']);
});

test('a drawer pulse alone prints nothing', async () => {
  expect(await decodeLines(star, bytesOf(esc, 7, 20, 20, 7))).toEqual([]);
});

test('page mode', async () => {
  const page = [
    esc,
    gs,
    'P0',
    esc,
    gs,
    'P4',
    100,
    0,
    'B',
    esc,
    gs,
    'P4',
    50,
    0,
    esc,
    gs,
    'A',
    0,
    0,
    'A',
    esc,
    gs,
    'P7',
  ];
  expect(await lines(...page, 'C\n')).toEqual(['A', 'B', 'C']);
});

test('kanji mode is what multibyte names', async () => {
  const text = iconv.encode('東京', 'shift_jis');
  expect(await decodeLines({ ...star, multibyte: 'shift_jis' }, bytesOf(esc, '$', 1, text, '\n'))).toEqual([
    ['東京'],
  ]);
});

test('data that ends inside a command, and noise, are read', async () => {
  const whole = bytesOf('A\n', esc, gs, 'S', 1, 255, 255, 255, 255, 0);
  for (let length = 0; length <= whole.length; length++) await decodeLines(star, whole.subarray(0, length));
  const noise = Buffer.from(Array.from({ length: 20_000 }, (_, index) => (index * index * 7) % 256));
  await decodeLines(star, noise).catch((error: { reason?: string }) =>
    expect(error.reason).toBe('too_large'),
  );
});
