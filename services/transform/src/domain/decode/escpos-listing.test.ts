import { listSlip } from './escpos-listing';

const slip = (...parts: (string | number)[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from([part]))),
  );

it('lists the commands between the texts', () => {
  const bytes = slip(0x1b, '@', 0x1b, 't', 19, 'TOTAL  12.50\nCash\n', 0x1d, 'V', 66, 0);
  expect(listSlip(bytes).parts).toEqual([
    { offset: 0, hex: '1b 40', command: 'ESC @: Initialise printer', text: '' },
    { offset: 2, hex: '1b 74 13', command: 'ESC t: Code page', text: '' },
    { offset: 5, hex: '54 4f 54 41 4c 20 20 31 32 2e 35 30 0a', command: null, text: 'TOTAL  12.50·' },
    { offset: 18, hex: '43 61 73 68 0a', command: null, text: 'Cash·' },
    { offset: 23, hex: '1d 56 42 00', command: 'GS V: Cut paper', text: '' },
  ]);
});

it('handles data that ends inside a command, and shortens images', () => {
  expect(listSlip(slip(0x1b)).parts).toMatchObject([{ command: 'ESC', hex: '1b' }]);
  const image = slip(0x1d, 'v0', 0, 10, 0, 10, 0, 'x'.repeat(100), 'after');
  expect(listSlip(image).parts).toMatchObject([{ command: 'GS v: Raster image' }, { text: 'after' }]);
  expect(listSlip(image).parts[0]?.hex).toMatch(/… \(108 bytes\)$/);
  expect(listSlip(slip(0x1b, 'Z', 0x1d, '\x00', 'a')).parts).toMatchObject([
    { command: 'ESC Z' },
    { command: 'GS' },
    { text: 'a' },
  ]);
});

it('reports whether it has omitted something', () => {
  expect(listSlip(slip('a\n')).isWhole).toBe(true);
  const { parts, isWhole } = listSlip(slip('a\n'.repeat(2_001)));
  expect([parts.length, isWhole]).toEqual([2_000, false]);
});
