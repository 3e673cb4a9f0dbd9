import { previewCharactersMax } from '@receipts/contracts';

/** A character takes at most four bytes. */
const bytesMax = 4 * previewCharactersMax;
/** What UTF-8 decodes to where the bytes are not UTF-8. */
const replacement = '\ufffd';

/** Control characters, such as a printer's commands, except tabs and the ends of lines. */
const controls = /(?:(?![\t\n])\p{Cc})+/gu;

/**
 * The beginning of a packet's data as readable text of at most 2,000 characters. Data that is not UTF-8 is read as
 * ISO 8859-1, in which every byte is a character.
 */
export function previewOf(bytes: Buffer): string {
  const beginning = bytes.subarray(0, bytesMax);
  const text = beginning.toString('utf8');
  // The last character may be cut in two.
  const isUtf8 = !text.slice(0, -1).includes(replacement);
  return (isUtf8 ? text : beginning.toString('latin1'))
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(controls, ' ')
    .trim()
    .slice(0, previewCharactersMax);
}
