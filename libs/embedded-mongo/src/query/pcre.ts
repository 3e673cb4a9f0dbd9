/** A PCRE2 construct that an engine does not support, or not with the same meaning. */
export class NotExpressible extends Error {}

/** How an engine says what PCRE2 says. Tables contain only what is not written the same. */
export interface Dialect {
  /** Escapes outside of character classes, without the backslash. */
  readonly escapes: Readonly<Record<string, string>>;
  /** Escapes outside of character classes that are written and mean the same. */
  readonly same: RegExp;
  readonly sameInClass: RegExp;
  /** The beginnings of groups. */
  readonly groups: RegExp;
  /** Any character, and any but a newline. */
  readonly dot: Readonly<{ all: string; line: string }>;
  /** The token `^` with the option m. */
  lineBegins(tokens: readonly string[], at: number): string;
  /** The token `$` with the option m. */
  readonly lineEnds: string;
  /** The token `$` or `\Z`: the end of the text, or before a newline that ends it. */
  textEnds(tokens: readonly string[], at: number): string;
}

export const space = ' \\t\\n\\v\\f\\r';
const inside: Readonly<Record<string, string>> = {
  h: ' \\t',
  s: space,
  a: '\\x07',
  e: '\\x1b',
  b: '\\x08',
};

const posixClasses: Readonly<Record<string, string>> = {
  alpha: 'a-zA-Z',
  digit: '0-9',
  alnum: 'a-zA-Z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  space: space,
  blank: ' \\t',
  punct: '!-\\/:-@\\[-`\\{-~',
  xdigit: '0-9A-Fa-f',
  word: '\\w',
  cntrl: '\\x00-\\x1f\\x7f',
  graph: '!-~',
  print: ' -~',
};

const syntax = /^[\^$\\.*+?()[\]{}|/]$/;
const token =
  /\\[\s\S]|\[\^?\]?(?:\[:\^?\w*:\]|\\[\s\S]|[^\]\\])*\]|\{\d+(?:,\d*)?\}|\((?:\?(?:<[=!]?|P<|[\s\S])?)?|[\s\S]/gu;
const inClass = /\[:\^?\w*:\]|\\[\s\S]|[\s\S]/gu;

/** Translates a PCRE2 pattern. Throws NotExpressible for constructs that the dialect does not know. */
export function fromPcre(text: string, multiline: boolean, dotAll: boolean, dialect: Dialect): string {
  const tokens = text.match(token) ?? [];
  return tokens
    .map((t, at) => {
      if (t === '$' && multiline) return dialect.lineEnds;
      if (t === '$' || t === '\\Z') return dialect.textEnds(tokens, at);
      if (t === '^') return multiline ? dialect.lineBegins(tokens, at) : dialect.escapes['A'];
      if (t === '.') return dotAll ? dialect.dot.all : dialect.dot.line;
      if (t.startsWith('(') && !dialect.groups.test(t)) throw new NotExpressible(`${t} is not known here`);
      if (t.length > 1 && t.startsWith('\\')) return escaped(t.slice(1), dialect);
      if (t.length > 1 && t.startsWith('[')) return characterClass(t, dialect);
      return t === ']' || t === '{' || t === '}' ? `\\${t}` : t;
    })
    .join('');
}

/** True if the whole pattern is a choice between alternatives, not only a group in it. */
export function hasAlternatives(text: string): boolean {
  let depth = 0;
  for (const t of text.match(token) ?? []) {
    if (t.startsWith('(')) depth++;
    else if (t === ')') depth--;
    else if (t === '|' && depth === 0) return true;
  }
  return false;
}

function escaped(c: string, dialect: Dialect): string {
  const known = dialect.escapes[c];
  if (known !== undefined) return known;
  if (syntax.test(c) || dialect.same.test(c)) return `\\${c}`;
  if (/^[A-Za-z0-9]$/.test(c)) throw new NotExpressible(`\\${c} is not known here`);
  return c;
}

function characterClass(text: string, dialect: Dialect): string {
  const negated = text.startsWith('[^');
  const inner = (text.slice(negated ? 2 : 1, -1).match(inClass) ?? []).map((t) => {
    if (t.startsWith('[:')) return posix(t.slice(2, -2));
    if (t.length === 1 || !t.startsWith('\\')) return t === '-' ? t : syntax.test(t) ? `\\${t}` : t;
    const c = t.slice(1);
    if (inside[c] !== undefined) return inside[c];
    if (syntax.test(c) || c === '-' || dialect.sameInClass.test(c)) return `\\${c}`;
    if (/^[A-Za-z0-9]$/.test(c)) throw new NotExpressible(`\\${c} in a class is not known here`);
    return c;
  });
  return `[${negated ? '^' : ''}${inner.join('')}]`;
}

function posix(name: string): string {
  const set = posixClasses[name];
  if (set === undefined) throw new NotExpressible(`[:${name}:] is not known here`);
  return set;
}
