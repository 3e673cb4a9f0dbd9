import { RE2JS } from 're2js';
import { MongoError, badValue } from '../errors';
import { backtracking, linear } from './dialects';
import { withinTime } from './match-time';
import type { Pattern } from './node';
import { NotExpressible, fromPcre, hasAlternatives } from './pcre';

const patternCharsMax = 32_764;

/** How long a match of one value may hold the server where the engine tries one way after the other. */
const backtrackingMsMax = 200;
/** The same for RE2, which takes that long only for patterns of hundreds of states on megabytes of text. */
const linearMsMax = 1_000;
/** Instructions times characters: some milliseconds at worst, beside which a watchdog costs little. */
const unwatchedStepsMax = 100_000;

type Matches = (text: string) => boolean;

/**
 * Compiles a regular expression of a filter. MongoDB uses PCRE2, this server RE2, and JavaScript's engine for what RE2
 * cannot say: look-around, back-references. Knows the options i, m, s and x (u is always in effect), passed separately
 * or inline as (?i). Throws code 51091 for patterns that neither supports; a match that takes too long throws code 50.
 */
export function patternOf(source: string, options: string): Pattern {
  for (const o of options)
    if (!'imsxu'.includes(o)) throw new MongoError(51108, `invalid flag in regex options: ${o}`);
  if (source.length > patternCharsMax)
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
  const matches = linearMatch(text, flags) ?? backtrackingMatch(text, flags);
  const prefix = prefixOf({ source, options });
  if (prefix === undefined) return { source, options, test: matches };
  const { text: start, whole } = prefix;
  return { source, options, test: (t) => t.startsWith(start) && (whole || matches(t)) };
}

/** Undefined if RE2 cannot say the pattern, or does not accept it. */
function linearMatch(text: string, flags: string): Matches | undefined {
  let compiled: RE2JS;
  try {
    const pattern = fromPcre(text, flags.includes('m'), flags.includes('s'), linear);
    compiled = RE2JS.compile(pattern, flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0);
  } catch {
    return undefined;
  }
  const charsMax = unwatchedStepsMax / compiled.programSize();
  return (t) => (t.length <= charsMax ? compiled.test(t) : withinTime(linearMsMax, () => compiled.test(t)));
}

function backtrackingMatch(text: string, flags: string): Matches {
  try {
    const pattern = fromPcre(text, flags.includes('m'), flags.includes('s'), backtracking);
    const regex = new RegExp(pattern, flags.includes('i') ? 'iu' : 'u');
    return (t) => withinTime(backtrackingMsMax, () => regex.test(t));
  } catch (error) {
    if (!(error instanceof NotExpressible) && !(error instanceof SyntaxError)) throw error;
    throw new MongoError(51091, `Regular expression is invalid: ${error.message}`);
  }
}

/** The option x: whitespace and comments outside character classes are ignored. */
const withoutLayout = (text: string): string =>
  text.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|#[^\n]*|\s+/g, (t) => (/^[\s#]/.test(t) ? '' : t));

/**
 * The literal text with which every match must start, and whether that is the whole condition. Undefined without such
 * text, or if options change the meaning of its characters.
 */
export function prefixOf(
  p: Pick<Pattern, 'source' | 'options'>,
): { text: string; whole: boolean } | undefined {
  if (p.options !== '' && p.options !== 's' && p.options !== 'u') return undefined;
  const anchored = /^(?:\^|\\A)/.exec(p.source);
  if (!anchored || hasAlternatives(p.source)) return undefined;
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
