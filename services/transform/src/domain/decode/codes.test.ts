import { bytesOf, decodePart, escpos, type Piece } from '../../testing/printer-bytes';

const codesOf = async (...parts: Piece[]) =>
  (await decodePart({ type: 'escpos' }, bytesOf(...parts)))[0]?.codes;

const sized = (system: number, ...data: (string | number)[]) => {
  const bytes = bytesOf(...data);
  return bytesOf([0x1d, 0x6b, system, bytes.length], bytes);
};
const terminated = (system: number, data: string) => bytesOf([0x1d, 0x6b, system], data, 0);
const symbol = (kind: number, data: string) =>
  bytesOf([0x1d, 0x28, 0x6b, data.length + 3, 0, kind, 80, 48], data, [0x1d, 0x28, 0x6b, 3, 0, kind, 81, 48]);

test('codes are listed in the order of the lines, with the number of lines above them', async () => {
  expect(await codesOf('\n\nA\n', symbol(49, 'https://x.example/1'), 'B\nC\n', terminated(4, '*7*'))).toEqual(
    [
      { line: 1, type: 'qr', data: 'https://x.example/1' },
      { line: 3, type: 'code39', data: '*7*' },
    ],
  );
});

test.each([
  ['upca', terminated(0, '123456789012')],
  ['upce', terminated(1, '0123456')],
  ['ean13', terminated(2, '4006381333931')],
  ['ean8', terminated(3, '12345670')],
  ['itf', terminated(5, '1234')],
  ['codabar', terminated(6, 'A12B')],
  ['upca', sized(65, '123456789012')],
  ['ean13', sized(67, '4006381333931')],
  ['code93', sized(72, 'ABC')],
  ['code128', sized(73, '{BNo.1')],
  ['pdf417', symbol(48, 'data')],
  ['qr', symbol(49, 'data')],
  ['datamatrix', symbol(54, 'data')],
])('%s', async (type, bytes) => {
  expect(await codesOf(bytes)).toMatchObject([{ type }]);
});

test('code set C of CODE128 gives its digits', async () => {
  expect(await codesOf(sized(73, '{C', 12, 34, 5, '{BX'))).toMatchObject([{ data: '123405X' }]);
  expect(await codesOf(sized(73, '{Bab{{'))).toMatchObject([{ data: 'ab{' }]);
});

test('a QR code is printed as often as it is ordered, and its data is UTF-8', async () => {
  const print = bytesOf([0x1d, 0x28, 0x6b, 3, 0, 49, 81, 48]);
  const stored = bytesOf([0x1d, 0x28, 0x6b, 5, 0, 49, 80, 48], Buffer.from('é'));
  expect(await codesOf(stored, print, 'A\n', print)).toMatchObject([{ data: 'é' }, { data: 'é', line: 1 }]);
});

test('codes of a page are at their height', async () => {
  const { pageMode, down } = escpos;
  const page = [pageMode, down(100), 'B', down(60), symbol(49, 'x'), down(30), 'A', 0x0c];
  expect(await codesOf(...page)).toEqual([{ line: 1, type: 'qr', data: 'x' }]);
});

test('codes belong to the part in which they are printed', async () => {
  const parts = await decodePart({ type: 'escpos' }, bytesOf('A\n', escpos.cut, 'B\n', symbol(49, 'x')));
  expect(parts.map(({ codes }) => codes)).toEqual([undefined, [{ line: 1, type: 'qr', data: 'x' }]]);
});
