import { MongoError, badValue } from '../errors';
import type { Pattern } from './node';
import { fromPcre } from './pcre';

const PATTERN_CHARS_MAX = 32_764;

/**
 * Compiles a regular expression of a filter. MongoDB uses PCRE2, this server JavaScript's engine, with the options i,
 * m, s and x (u is always in effect), passed separately or inline as (?i). Throws code 51091 for patterns that
 * JavaScript does not support.
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

/** The option x: whitespace and comments outside character classes are ignored. */
const withoutLayout = (text: string): string =>
  text.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|#[^\n]*|\s+/g, (t) => (/^[\s#]/.test(t) ? '' : t));

/**
 * The literal text with which every match must start, and whether that is the whole condition. Undefined without such
 * text, or if options change the meaning of its characters.
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
    // The last character is optional or repeated, so it does not belong to the prefix.
    tail = pieces.at(-1)! + tail;
    pieces = pieces.slice(0, -1);
  }
  const text = pieces.map((c) => (c.length > 1 && c[0] === '\\' ? c.slice(1) : c)).join('');
  if (text === '') return undefined;
  return { text, whole: tail === '' || tail === '.*' };
}
