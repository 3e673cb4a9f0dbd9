/** A PCRE2 construct that JavaScript does not support. */
export class NotExpressible extends Error {}

const SPACE = ' \\t\\n\\v\\f\\r';
const END = '(?![\\s\\S])';
const START = '(?<![\\s\\S])';

const OUTSIDE: Readonly<Record<string, string>> = {
  A: START,
  z: END,
  Z: `(?=\\n?${END})`,
  h: '[ \\t]',
  s: `[${SPACE}]`,
  S: `[^${SPACE}]`,
  v: '[\\n\\v\\f\\r\\x85\\u2028\\u2029]',
  R: '(?:\\r\\n|[\\n\\v\\f\\r\\x85\\u2028\\u2029])',
  a: '\\x07',
  e: '\\x1b',
};
const INSIDE: Readonly<Record<string, string>> = { h: ' \\t', s: SPACE, a: '\\x07', e: '\\x1b', b: '\\b' };

const POSIX: Readonly<Record<string, string>> = {
  alpha: 'a-zA-Z',
  digit: '0-9',
  alnum: 'a-zA-Z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  space: SPACE,
  blank: ' \\t',
  punct: '!-\\/:-@\\[-`\\{-~',
  xdigit: '0-9A-Fa-f',
  word: '\\w',
  cntrl: '\\x00-\\x1f\\x7f',
  graph: '!-~',
  print: ' -~',
};

/** Escapes with the same meaning in PCRE2 and JavaScript. */
const SAME = /^[dDwWbBnrtfck1-9x]$/;
const SAME_IN_CLASS = /^[dDwWnrtfcx]$/;
const SYNTAX = /^[\^$\\.*+?()[\]{}|/]$/;

const TOKEN = /\\[\s\S]|\[\^?\]?(?:\[:\^?\w*:\]|\\[\s\S]|[^\]\\])*\]|\{\d+(?:,\d*)?\}|\(\?<?|[\s\S]/gu;
const IN_CLASS = /\[:\^?\w*:\]|\\[\s\S]|[\s\S]/gu;

/** Translates a PCRE2 pattern to JavaScript with the flag u. Throws NotExpressible for unsupported constructs. */
export function fromPcre(text: string, multiline: boolean, dotAll: boolean): string {
  const parts = text.match(TOKEN) ?? [];
  return parts
    .map((t) => {
      if (t.length > 1 && t.startsWith('\\')) return escaped(t.slice(1));
      if (t.length > 1 && t.startsWith('[')) return characterClass(t);
      if (t === '$') return multiline ? `(?=\\n|${END})` : `(?=\\n?${END})`;
      if (t === '^') return multiline ? `(?:${START}|(?<=\\n)(?=[\\s\\S]))` : START;
      if (t === '.') return dotAll ? '[\\s\\S]' : '[^\\n]';
      return t === ']' || t === '{' || t === '}' ? `\\${t}` : t;
    })
    .join('');
}

function escaped(c: string): string {
  const known = OUTSIDE[c];
  if (known !== undefined) return known;
  if (SYNTAX.test(c) || SAME.test(c)) return `\\${c}`;
  if (/^[A-Za-z0-9]$/.test(c)) throw new NotExpressible(`\\${c} is not known here`);
  return c;
}

function characterClass(text: string): string {
  const negated = text.startsWith('[^');
  const inner = (text.slice(negated ? 2 : 1, -1).match(IN_CLASS) ?? []).map((t) => {
    if (t.startsWith('[:')) return posix(t.slice(2, -2));
    if (t.length === 1 || !t.startsWith('\\')) return t === '-' ? t : SYNTAX.test(t) ? `\\${t}` : t;
    const c = t.slice(1);
    if (INSIDE[c] !== undefined) return INSIDE[c];
    if (SYNTAX.test(c) || c === '-' || SAME_IN_CLASS.test(c)) return `\\${c}`;
    if (/^[A-Za-z0-9]$/.test(c)) throw new NotExpressible(`\\${c} in a class is not known here`);
    return c;
  });
  return `[${negated ? '^' : ''}${inner.join('')}]`;
}

function posix(name: string): string {
  const set = POSIX[name];
  if (set === undefined) throw new NotExpressible(`[:${name}:] is not known here`);
  return set;
}
