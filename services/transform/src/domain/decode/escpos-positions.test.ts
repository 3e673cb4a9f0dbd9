import { bytesOf, decodeLines, escpos, type Piece } from '../../testing/printer-bytes';

const type = { type: 'escpos' } as const;
const lines = async (...parts: Piece[]) => (await decodeLines(type, bytesOf(...parts))).flat();

describe('columns', () => {
  test('a text that is placed starts in its column', async () => {
    const beer = ['BEER', escpos.at(20 * 12), '2', escpos.at(30 * 12), '13.00\n'] as const;
    expect(await lines(...beer)).toEqual(['BEER                2         13.00']);
  });

  test('a text that is placed first keeps its columns as leading spaces', async () => {
    expect(await lines(escpos.at(60), 'A\n')).toEqual(['     A']);
  });

  test('a relative position moves by its distance, also backwards', async () => {
    expect(await lines('AB', escpos.by(36), 'C\n')).toEqual(['AB   C']);
    expect(await lines(escpos.at(240), '9.99', escpos.by(0x10000 - 24 * 12), 'TEA\n')).toEqual([
      'TEA                 9.99',
    ]);
  });

  test('a move to the right by less than half a column is none', async () => {
    expect(await lines('AB', escpos.by(5), 'CD\n')).toEqual(['ABCD']);
    expect(await lines('AB', escpos.by(6), 'CD\n')).toEqual(['AB CD']);
    expect(await lines('AB', escpos.at(26), 'CD\n')).toEqual(['ABCD']);
  });

  test('moves beyond every paper end at its edge', async () => {
    const moves = Array.from({ length: 20_000 }, () => escpos.by(0x7fff));
    const [line = ''] = await lines('A', ...moves, 'B\n');
    expect(line.length).toBeLessThan(10_000);
    expect(line.replace(/ +/, ' ')).toBe('A B');
  });

  test('there is at least one space before a text that is placed over the end of another', async () => {
    expect(await lines('A VERY LONG NAME', escpos.at(120), '9.99\n')).toEqual(['A VERY LONG NAME 9.99']);
    expect(await lines('ABCD', escpos.at(48), '2\n')).toEqual(['ABCD 2']);
  });

  test('spaces are not printed, so they do not count twice', async () => {
    expect(await lines('TEA       ', escpos.at(60), '  1.00\n')).toEqual(['TEA    1.00']);
  });

  test('double width counts twice, and font B nine of twelve dots', async () => {
    expect(await lines(escpos.size(0x10), 'AB', escpos.size(0), escpos.at(120), 'C\n')).toEqual([
      'AB      C',
    ]);
    expect(await lines([0x1b, 0x21, 0x20], 'AB', [0x1b, 0x21, 0], escpos.at(120), 'C\n')).toEqual([
      'AB      C',
    ]);
    expect(await lines(escpos.font(1), 'ABCD', escpos.at(120), 'C\n')).toEqual(['ABCD       C']);
    expect(await lines([0x1b, 0x21, 1], 'ABCD', escpos.at(120), 'C\n')).toEqual(['ABCD       C']);
  });

  test('texts are in the order of their columns, not of their sending', async () => {
    expect(await lines(escpos.at(120), '5.00', escpos.at(0), 'TEA\n')).toEqual(['TEA       5.00']);
  });

  test('tabs go to the next stop: every 8 columns, or those of ESC D', async () => {
    expect(await lines('A\tB\tC\n')).toEqual(['A       B       C']);
    expect(await lines(escpos.tabs(4, 20), 'A\tB\tC\n')).toEqual(['A   B               C']);
    expect(await lines(escpos.tabs(4), 'A\tB\tC\n')).toEqual(['A   B C']);
    expect(await lines('12345678\tB\n')).toEqual(['12345678        B']);
  });

  test('the alignment of a whole line adds no spaces', async () => {
    expect(await lines(escpos.align(1), 'SHOP\n', escpos.align(2), '5.00\n')).toEqual(['SHOP', '5.00']);
  });

  test('a motion unit of GS P is used for positions', async () => {
    expect(await lines([0x1d, 0x50, 90, 0], 'A', escpos.at(30), 'B\n')).toEqual(['A    B']);
  });

  test('the same text in the same place counts once', async () => {
    expect(await lines('TOTAL', escpos.at(0), 'TOTAL', escpos.at(120), '5.00\n')).toEqual(['TOTAL     5.00']);
    expect(await lines('TOTAL 5.00\rTOTAL 5.00\r\n')).toEqual(['TOTAL 5.00']);
    expect(await lines('TOTAL 5.00', [0x1b, 0x4a, 0], 'TOTAL 5.00\n')).toEqual(['TOTAL 5.00']);
    expect(await lines('TOTAL 5.00\n', [0x1b, 0x4b, 30], 'TOTAL 5.00\nCASH\n')).toEqual([
      'TOTAL 5.00',
      'CASH',
    ]);
    expect(await lines('TOTAL 5.00', escpos.at(0), 'TOTAL\n')).toEqual(['TOTAL 5.00']);
    expect(await lines('1 1\n1 1\n')).toEqual(['1 1', '1 1']);
  });

  test('wide characters take two columns', async () => {
    const sjis = [0x93, 0x8c, 0x8b, 0x9e];
    const [line] = (
      await decodeLines({ ...type, multibyte: 'shift_jis' }, bytesOf(sjis, escpos.at(120), '980\n'))
    ).flat();
    expect(line).toBe('東京      980');
  });
});

describe('the buffer', () => {
  test('ESC @ and CAN drop what has not been printed', async () => {
    expect(await lines('old', escpos.reset, 'new\n')).toEqual(['new']);
    expect(await lines('old', 0x18, 'new\n')).toEqual(['new']);
  });

  test('reverse feed does not reorder lines', async () => {
    expect(await lines('A\n', [0x1b, 0x65, 1], 'B\nC\n')).toEqual(['A', 'B', 'C']);
    expect(await lines('A\nB\n', [0x1b, 0x4b, 200], 'C\n')).toEqual(['A', 'B', 'C']);
  });

  test('text at the end of the data is printed', async () => {
    expect(await lines('A\nB')).toEqual(['A', 'B']);
  });

  test('a carriage return is a line end only in data without line feeds', async () => {
    expect(await lines('A\rB\r')).toEqual(['A', 'B']);
    expect(await lines('A\r\nB\r\n')).toEqual(['A', 'B']);
  });

  test('data for a display behind the printer is not printed', async () => {
    expect(await lines([0x1b, 0x3d, 2], 'WELCOME\n', [0x1b, 0x3d, 1], 'TEA\n')).toEqual(['TEA']);
  });
});

describe('page mode', () => {
  const { pageMode, area, down, at, direction } = escpos;

  test('lines are in the order of their height, texts in the order of their columns', async () => {
    const page = [pageMode, area(0, 0, 500, 400), down(200), 'TOTAL', at(240), '5.00', down(60)];
    expect(await lines(...page, at(0), 'TEA', at(240), '5.00', 0x0c, 'after\n')).toEqual([
      'TEA                 5.00',
      'TOTAL               5.00',
      'after',
    ]);
  });

  test('areas beside each other are one line', async () => {
    const page = [pageMode, area(0, 0, 240, 100), 'LEFT', area(240, 0, 240, 100), 'RIGHT', 0x0c];
    expect(await lines(...page)).toEqual(['LEFT                RIGHT']);
  });

  test('line feeds and relative moves go down the page', async () => {
    const page = [pageMode, 'A\nB', escpos.downBy(100), at(0), 'C\n', at(24), 'D', 0x0c];
    expect(await lines(...page)).toEqual(['A', 'B', 'C', '  D']);
  });

  test('a form feed prints the page and does not end the part; ESC FF stays in page mode', async () => {
    expect(await decodeLines(type, bytesOf(pageMode, 'A', 0x0c, 'B\n', escpos.cut, 'C\n'))).toEqual([
      ['A', 'B'],
      ['C'],
    ]);
    expect(await lines(pageMode, 'A', [0x1b, 0x0c], 0x18, 'B', 0x0c)).toEqual(['A', 'B']);
  });

  test('CAN, ESC S and ESC @ drop the page', async () => {
    expect(await lines(pageMode, 'A', 0x18, 'B', 0x0c)).toEqual(['B']);
    expect(await lines(pageMode, 'A', escpos.standardMode, 'B\n')).toEqual(['B']);
    expect(await lines(pageMode, 'A', escpos.reset, 'B\n')).toEqual(['B']);
  });

  test.each([1, 2, 3])('text in direction %i is read along its direction', async (n) => {
    const page = [pageMode, area(0, 0, 400, 600), direction(n), down(60), 'ONE', at(120), '1.00', down(120)];
    expect(await lines(...page, at(0), 'TWO', at(120), '2.00', 0x0c)).toEqual([
      'ONE       1.00',
      'TWO       2.00',
    ]);
  });
});

describe('parts', () => {
  test('a cut, a form feed and split end a part', async () => {
    expect(await decodeLines(type, bytesOf('A\n', escpos.cut, 'B\n\f', 'C\n'))).toEqual([
      ['A'],
      ['B'],
      ['C'],
    ]);
    expect(await decodeLines({ ...type, split: '---' }, 'A\n---\nB\n')).toEqual([['A'], ['B']]);
  });

  test('split none gives the whole job, with a form feed between', async () => {
    const job = bytesOf('A\n', escpos.cut, 'B\n\f', 'C\n', escpos.cut);
    expect(await decodeLines({ ...type, split: 'none' }, job)).toEqual([['A', '\f', 'B', '\f', 'C']]);
  });

  test('a drawer pulse, a status request and a logo print nothing', async () => {
    const pulse = [0x1b, 0x70, 0, 25, 250];
    const logo = [0x1d, 0x76, 0x30, 0, 1, 0, 2, 0, 255, 255];
    expect(await decodeLines(type, bytesOf(escpos.reset, pulse, [0x10, 4, 1], logo, escpos.cut))).toEqual([]);
  });

  test('a slip that is printed as an image cannot be read', async () => {
    const image = bytesOf([0x1d, 0x76, 0x30, 0, 1, 0, 0x20, 0x03], Buffer.alloc(800));
    await expect(decodeLines(type, bytesOf(image, escpos.cut))).rejects.toMatchObject({
      reason: 'decode_failed',
    });
    expect(await decodeLines(type, bytesOf(image, 'TEA\n', escpos.cut))).toEqual([['TEA']]);
  });
});
