import { inflateSync } from 'node:zlib';

const fileMark = '/Type /EmbeddedFile';
const contentMark = 'stream\n';
const proofBytesMax = 64 * 1024;
const filesMax = 8;

/** The proof that is attached to a receipt's PDF; undefined if there is none, or if another program has saved the PDF. */
export function proofInPdf(bytes: Buffer): string | undefined {
  let at = 0;
  for (let n = 0; n < filesMax; n++) {
    const file = bytes.indexOf(fileMark, at);
    const mark = file < 0 ? -1 : bytes.indexOf(contentMark, file);
    if (mark < 0) return undefined;
    at = mark + contentMark.length;
    try {
      const content = inflateSync(bytes.subarray(at), { maxOutputLength: proofBytesMax }).toString('latin1');
      if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(content)) return content;
    } catch {
      // Not a proof.
    }
  }
  return undefined;
}
