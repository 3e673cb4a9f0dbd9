import { decodeLines, decodePart } from '../../testing/printer-bytes';

const opos = { type: 'opos' } as const;
const esc = '\x1b|';
const lines = async (text: string, options = {}) => (await decodeLines({ ...opos, ...options }, text)).flat();

test('text that is aligned within a line starts in its column, of 42', async () => {
  expect(await lines(`TEA${esc}rA5.00\n`)).toEqual([`TEA${' '.repeat(35)}5.00`]);
  expect(await lines(`TEA${esc}cA2${esc}rA5.00\n`)).toEqual([`TEA${' '.repeat(17)}2${' '.repeat(17)}5.00`]);
  expect(await lines(`TEA${esc}rA5.00\n`, { columns: 20 })).toEqual([`TEA${' '.repeat(13)}5.00`]);
  expect(await lines(`${'X'.repeat(40)}${esc}rA5.00\n`)).toEqual([`${'X'.repeat(40)} 5.00`]);
});

test('the alignment of a whole line adds no spaces', async () => {
  expect(await lines(`${esc}cASHOP\n${esc}rA5.00${esc}N\n`)).toEqual(['SHOP', '5.00']);
});

test('double width counts twice', async () => {
  expect(await lines(`${esc}2CTEA${esc}1C${esc}rA5.00\n`)).toEqual([`TEA${' '.repeat(32)}5.00`]);
  expect(await lines(`${esc}2hCTEA${esc}1hC${esc}rA5.00\n`)).toEqual([`TEA${' '.repeat(32)}5.00`]);
});

test('a line ends its alignment', async () => {
  expect(await lines(`A${esc}rAB\nC\n`)).toEqual([`A${' '.repeat(40)}B`, 'C']);
});

test('tabs go to their stop', async () => {
  expect(await lines('A\tB\n')).toEqual(['A       B']);
});

test('a line that is printed twice in the same place counts once', async () => {
  expect(await lines('TOTAL 5.00\rTOTAL 5.00\nB\n')).toEqual(['TOTAL 5.00', 'B']);
});

test('reverse feed does not reorder lines', async () => {
  expect(await lines(`A\n${esc}2rFB\n`)).toEqual(['A', 'B']);
});

test('a form feed ends a part, and split none joins the parts', async () => {
  expect(await decodeLines(opos, 'A\n\fB\n')).toEqual([['A'], ['B']]);
  expect(await decodeLines({ ...opos, split: 'none' }, `A\n${esc}fPB\n`)).toEqual([['A', '\f', 'B']]);
});

test('bar codes are listed', async () => {
  const data = 's104h80w2a-2t-13d4006381333931e';
  const [part] = await decodePart(opos, `A\n${esc}${data.length}R${data}B\n`);
  expect(part).toEqual({ lines: ['A', 'B'], codes: [{ line: 1, type: 'ean13', data: '4006381333931' }] });
});
