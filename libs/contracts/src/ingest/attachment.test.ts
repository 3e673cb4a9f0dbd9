import { attachmentDisposition, filenameOf } from './attachment';
import { decodeBase64 } from './base64';

test.each([
  ['attachment; filename=a.pdf', 'a.pdf'],
  ['attachment; filename="a b.pdf"', 'a b.pdf'],
  ['attachment; filename="a\\"b.pdf"', 'ab.pdf'],
  ['attachment; FileName = "x.txt" ; foo=bar', 'x.txt'],
  ['attachment; filename="plain.txt"; filename*=UTF-8\'\'caf%C3%A9.txt', 'café.txt'],
  ["attachment; filename*=iso-8859-1'en'%A3.txt", '£.txt'],
  ['attachment; filename="../../etc/passwd"', 'passwd'],
  ['attachment; filename="C:\\\\temp\\\\x.txt"', 'x.txt'],
  ['attachment; filename="..."', undefined],
  ['attachment; filename="a\u202etxt.exe"', 'atxt.exe'],
  [`attachment; filename="${Buffer.from('naïve.txt').toString('latin1')}"`, 'naïve.txt'],
  ['attachment; note="; filename=evil.exe"; filename=a.pdf', 'a.pdf'],
  ['attachment; filename="a;b.pdf"', 'a;b.pdf'],
  ['attachment; filename=a.pdf; filename=b.pdf', 'a.pdf'],
  ['attachment; filename="open.pdf', undefined],
  ['attachment; filename="a.pdf"; filename*=UTF-8\'\'%ff', 'a.pdf'],
  ['attachment; filename="a.pdf"; filename*=UTF-8\'\'', 'a.pdf'],
  ['attachment; filename*="UTF-8\'\'b.pdf"; filename="a.pdf"', 'b.pdf'],
  ['attachment; xfilename=a.pdf', undefined],
  ['attachment; filename=""', undefined],
  ['attachment', undefined],
  [undefined, undefined],
])('%s names %s', (header, name) => {
  expect(filenameOf(header)).toBe(name);
});

test('makes browsers save a file, regardless of its name', () => {
  expect(attachmentDisposition('a.txt')).toBe('attachment; filename="a.txt"');
  expect(attachmentDisposition('caf\u00e9 "1".txt')).toBe(
    'attachment; filename="caf_ _1_.txt"; filename*=UTF-8\'\'caf%C3%A9%20%221%22.txt',
  );
  expect(attachmentDisposition('\ud800.txt')).toMatch(/^attachment; filename="_+\.txt"; filename\*=UTF-8''/);
});

test('decodes only strict base64', () => {
  expect(decodeBase64('YWI=')?.toString()).toBe('ab');
  for (const text of ['YWI', 'YW I=', 'YWJ=', 'YWI=YWI=', '-_==', 'Y', 'YWI=\n']) {
    expect(decodeBase64(text)).toBeUndefined();
  }
});
