import { deflateSync } from 'node:zlib';
import { proofInPdf } from './proof-in-pdf';

const proof = 'eyJh.eyJi.c2ln';
const fileOf = (content: string | Buffer) =>
  Buffer.concat([
    Buffer.from('<< /Type /EmbeddedFile >>\nstream\n'),
    deflateSync(content),
    Buffer.from('\nendstream\n'),
  ]);
const pdfOf = (...files: readonly Buffer[]) => Buffer.concat([Buffer.from('%PDF-1.3\n'), ...files]);

test('finds the proof, also after other files', () => {
  expect(proofInPdf(pdfOf(fileOf(proof)))).toBe(proof);
  expect(proofInPdf(pdfOf(fileOf('a,b\n'), fileOf(proof)))).toBe(proof);
});

test.each([
  ['without attachments', pdfOf()],
  ['with another attachment', pdfOf(fileOf('a,b\n'))],
  ['with an attachment that expands to a megabyte', pdfOf(fileOf(Buffer.alloc(1024 * 1024, 'a')))],
  ['that is truncated', pdfOf(fileOf(proof)).subarray(0, 50)],
  ['whose attachment is not compressed', pdfOf(Buffer.from(`/Type /EmbeddedFile >>\nstream\n${proof}`))],
  ['with very many attachments', pdfOf(...Array.from({ length: 9 }, () => fileOf('x')), fileOf(proof))],
])('finds no proof in a PDF %s', (_, pdf) => {
  expect(proofInPdf(pdf)).toBeUndefined();
});
