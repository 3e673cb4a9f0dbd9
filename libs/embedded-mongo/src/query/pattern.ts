import { MongoError, badValue } from '../errors';
import type { Pattern } from './node';
import { fromPcre } from './pcre';

const PATTERN_CHARS_MAX = 32_764;

/**
 * A regular expression of a filter. MongoDB uses PCRE2; this server uses JavaScript's, with the options i, m, s, x (and
 * u, which is always on in effect), given apart or as (?i) in front. What JavaScript cannot express is refused.
 */
export function patternOf(source: string, options: string): Pattern {
  for (const o of options)
    if (!'imsxu'.includes(o)) throw new MongoError(51108, `invalid flag in regex options: ${o}`);
  if (source.length > PATTERN_CHARS_MAX)
    throw new MongoError(51091, 'Regular expression is invalid: too large');
  if (source.includes('\0')) throw badValue('Regular expression cannot contain an embedded null byte');
  let text = source;
  let flags = options;
  const inline = /^\(\?([imsx]+)\)/.exec(text);
  if (inline) {
    flags += inline[1]!;
    text = text.slice(inline[0].length);
  }
  if (flags.includes('x')) text = withoutLayout(text);
  try {
    const pattern = fromPcre(text, flags.includes('m'), flags.includes('s'));
    return { source, options, regex: new RegExp(pattern, flags.includes('i') ? 'iu' : 'u') };
  } catch (e) {
    throw new MongoError(51091, `Regular expression is invalid: ${(e as Error).message}`);
  }
}

/** The option x: spaces and comments outside of classes do not count. */
const withoutLayout = (text: string): string =>
  text.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|#[^\n]*|\s+/g, (t) => (/^[\s#]/.test(t) ? '' : t));

/**
 * The literal text that every match must begin with, and whether beginning with it is all that is asked. Undefined when
 * there is none, or when options change what the characters mean.
 */
export function prefixOf(p: Pattern): { text: string; whole: boolean } | undefined {
  if (p.options !== '' && p.options !== 's' && p.options !== 'u') return undefined;
  if (p.source.includes('|')) return undefined;
  const anchored = /^(?:\^|\\A)/.exec(p.source);
  if (!anchored) return undefined;
  const rest = p.source.slice(anchored[0].length);
  const literal = /^(?:[^\\^$.|?*+()[\]{}]|\\[^\w\s])*/.exec(rest)![0];
  let tail = rest.slice(literal.length);
  let pieces: string[] = literal.match(/\\[\s\S]|[\s\S]/gu) ?? [];
  if (/^[?*{]/.test(tail)) {
    // The last character is optional or repeated: it is no part of the prefix.
    tail = pieces.at(-1)! + tail;
    pieces = pieces.slice(0, -1);
  }
  const text = pieces.map((c) => (c.length > 1 && c[0] === '\\' ? c.slice(1) : c)).join('');
  if (text === '') return undefined;
  return { text, whole: tail === '' || tail === '.*' };
}
