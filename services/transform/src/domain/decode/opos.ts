import { decodeText } from './charset';
import { tooLarge } from '../faults/conversion-fault';
import { linesMax, type DecodeOptions, type Part } from './decoded';
import { partsOf } from './lines';

const escape = '\x1b';
/** A placeholder for a paper cut while the text is parsed. Printed text contains no other escape characters. */
const cutMark = escape;

const sequenceCharactersMax = 40;
const sequence = /^\|(\*?)(!?)(\d*)([a-z]*)([A-Z])/;

/** The output of a UPOS escape sequence, and the number of following characters that are data for the printer. */
function effectOf(starred: boolean, count: number | undefined, verb: string): { text: string; skip: number } {
  if (verb === 'lF') return { text: '\n'.repeat(Math.min(count ?? 1, 20)), skip: 0 };
  if (verb === 'P' || verb === 'fP' || verb === 'sP') return { text: cutMark, skip: 0 };
  if (verb === 'E' || verb === 'R')
    return { text: '', skip: starred || count !== undefined ? (count ?? 0) : 0 };
  return { text: '', skip: 0 };
}

/**
 * Removes the escape sequences of UPOS (UnifiedPOS, "Data characters and escape sequences"): `ESC |` up to a capital
 * letter.
 */
function printed(text: string): string {
  let result = '';
  let feeds = 0;
  let from = 0;
  for (let at = text.indexOf(escape); at >= 0; at = text.indexOf(escape, from)) {
    result += text.slice(from, at);
    const match = sequence.exec(text.slice(at + 1, at + 1 + sequenceCharactersMax));
    if (match) {
      const [whole, star, , digits = '', letters = '', capital = ''] = match;
      const count = digits === '' ? undefined : Number(digits);
      const effect = effectOf(star === '*', count, letters + capital);
      result += effect.text;
      feeds += effect.text.length;
      if (feeds > linesMax) throw tooLarge('/decode', `the data has more than ${linesMax} lines`);
      from = at + 1 + whole.length + effect.skip;
    } else from = at + (text[at + 1] === '|' ? 2 : 1);
  }
  return result + text.slice(from);
}

/** Decodes text for an OPOS or JavaPOS printer. A paper cut ends a receipt, as `split` does. */
export function decodeOpos(
  bytes: Buffer,
  options: DecodeOptions<'opos'>,
  contentType: string | null,
): Part[] {
  const text = printed(decodeText(bytes, options.codepage, contentType));
  return text.split(cutMark).flatMap((receipt) => partsOf(receipt, options));
}
