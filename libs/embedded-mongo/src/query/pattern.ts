import { RE2JS } from 're2js';
import { MongoError, badValue } from '../errors';
import { withinTime } from './match-time';
import type { Pattern } from './node';

const patternCharsMax = 32_764;

/** The time limit of a match with a backtracking engine. */
const backtrackingMsMax = 200;
/** The time limit with RE2, which takes this long only for patterns with hundreds of states on megabytes of text. */
const linearMsMax = 1_000;
/** Instructions times characters. Up to this limit, a match takes milliseconds at worst and needs no watchdog. */
const unwatchedStepsMax = 100_000;

const invalid = (reason: string): MongoError =>
  new MongoError(51091, `Regular expression is invalid: ${reason}`);

/**
 * Compiles a regular expression of a filter. MongoDB uses PCRE2. This server uses RE2, or JavaScript's engine for
 * look-ahead, which RE2 lacks and which `$` needs. Throws code 51091 for patterns that the engines interpret
 * differently; a match that takes too long throws code 50.
 */
export function patternOf(source: string): Pattern {
  if (source.length > patternCharsMax) throw invalid('too large');
  if (source.includes('\0')) throw badValue('Regular expression cannot contain an embedded null byte');
  const prefix = prefixOf(source);
  const start = prefix?.text ?? '';
  if (prefix?.whole) return { prefix, test: (t) => t.startsWith(start) };
  const matches = matcherOf(source);
  return { prefix, test: (t) => t.startsWith(start) && matches(t) };
}

function matcherOf(source: string): Pattern['test'] {
  try {
    const tokens = source.match(token) ?? [];
    const pattern = tokens.map(translated).join('');
    if (tokens.some((t) => needsLookAhead.has(t))) {
      const regex = new RegExp(pattern, 'u');
      return (t) => withinTime(backtrackingMsMax, () => regex.test(t));
    }
    const compiled = RE2JS.compile(pattern);
    const charsMax = unwatchedStepsMax / compiled.programSize();
    return (t) => (t.length <= charsMax ? compiled.test(t) : withinTime(linearMsMax, () => compiled.test(t)));
  } catch (error) {
    throw error instanceof MongoError ? error : invalid((error as Error).message);
  }
}

const token = /\\[\s\S]|\[\^?\]?(?:\\[\s\S]|[^\]\\])*\]|\((?:\?[\s\S])?|[\s\S]/gu;
const groups: ReadonlySet<string> = new Set(['(', '(?:', '(?=', '(?!']);
const needsLookAhead: ReadonlySet<string> = new Set(['$', '(?=', '(?!']);
const syntax = /^[\^$\\.*+?()[\]{}|/]$/;
/** Escapes that all engines interpret in the same way. */
const sharedEscape = /^[dDwWbB]$/;

/** A PCRE2 token as written in both engines. */
function translated(t: string): string {
  if (t === '.') return '[^\\n]';
  // In PCRE2, $ also matches before a newline at the end of the text.
  if (t === '$') return '(?=\\n?(?![^]))';
  if (t.startsWith('(') && !groups.has(t)) throw invalid(`${t} is not supported by this server`);
  if (t.startsWith('\\')) return escaped(t.slice(1));
  return t.length > 1 && t.startsWith('[') ? characterClass(t) : t;
}

function escaped(char: string): string {
  if (syntax.test(char) || sharedEscape.test(char)) return `\\${char}`;
  if (/^[A-Za-z0-9]$/.test(char)) throw invalid(`\\${char} is not supported by this server`);
  return char;
}

function characterClass(text: string): string {
  if (text.includes('[:', 1) || text.includes('\\b'))
    throw invalid(`${text} is not supported by this server`);
  const start = text.startsWith('[^') ? '[^' : '[';
  const inner = text.slice(start.length, -1).replace(/\\([\s\S])|[[\]]/gu, (t, char?: string) => {
    if (char === undefined) return `\\${t}`;
    return char === '-' ? '\\-' : escaped(char);
  });
  return `${start}${inner}]`;
}

/** True if the whole pattern is a choice between alternatives, not only a group in it. */
function hasAlternatives(text: string): boolean {
  let depth = 0;
  for (const t of text.match(token) ?? []) {
    if (t.startsWith('(')) depth++;
    else if (t === ')') depth--;
    else if (t === '|' && depth === 0) return true;
  }
  return false;
}

/** The literal text with which every match must start. */
function prefixOf(source: string): Pattern['prefix'] {
  if (!source.startsWith('^') || hasAlternatives(source)) return undefined;
  const rest = source.slice(1);
  const literal = /^(?:[^\\^$.|?*+()[\]{}]|\\[^\w\s])*/.exec(rest)![0];
  let tail = rest.slice(literal.length);
  let pieces: string[] = literal.match(/\\[\s\S]|[\s\S]/gu) ?? [];
  if (/^[?*{]/.test(tail)) {
    // The last character is optional or repeated, so it does not belong to the prefix.
    tail = pieces.at(-1)! + tail;
    pieces = pieces.slice(0, -1);
  }
  const text = pieces.map((char) => (char.length > 1 && char[0] === '\\' ? char.slice(1) : char)).join('');
  if (text === '') return undefined;
  return { text, whole: tail === '' };
}
