import { csvCell, csvTextCell, printCsv } from './csv';

it.each([
  ['plain', 'plain'],
  [null, ''],
  ['a"b', '"a""b"'],
  ['a,b', '"a,b"'],
  ['a\nb', '"a\nb"'],
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@name', "'@name"],
  ['\t=1', "'\t'=1"],
  ['\r=1', '"\'\r\'=1"'],
  ['\n=1', '"\'\n\'=1"'],
  ['Coffee;=1+1;', "Coffee;'=1+1;"],
  ['a; @b\t-1;+2', "a; '@b\t'-1;'+2"],
  ['a;"=1"', '"a;""\'=1"""'],
  ['a\r\n\uff1d1', '"a\r\n\'\uff1d1"'],
  ['A-1; B+2 = C', 'A-1; B+2 = C'],
  ['\uff1d1', "'\uff1d1"],
  ['\uff0b1', "'\uff0b1"],
  ['\uff0d1', "'\uff0d1"],
  ['\uff20name', "'\uff20name"],
])('prints the text %j as %j', (text, printed) => expect(csvTextCell(text)).toBe(printed));

it('prints numbers as they are, and ends every line', () => {
  expect(printCsv([['total'], [csvCell('-1.5')]])).toBe('total\r\n-1.5\r\n');
});
