import { NotExpressible, space, type Dialect } from './pcre';

/** JavaScript's engine with the flag u. It can say most of PCRE2, but may try a text in very many ways. */
export const backtracking: Dialect = {
  escapes: {
    A: '(?<![\\s\\S])',
    z: '(?![\\s\\S])',
    h: '[ \\t]',
    s: `[${space}]`,
    S: `[^${space}]`,
    v: '[\\n\\v\\f\\r\\x85\\u2028\\u2029]',
    R: '(?:\\r\\n|[\\n\\v\\f\\r\\x85\\u2028\\u2029])',
    a: '\\x07',
    e: '\\x1b',
  },
  same: /^[dDwWbBnrtfck1-9x]$/,
  sameInClass: /^[dDwWnrtfcx]$/,
  groups: /^\((?:\?(?:[:=!]|<[=!]?))?$/,
  dot: { all: '[\\s\\S]', line: '[^\\n]' },
  lineBegins: () => '(?:(?<![\\s\\S])|(?<=\\n)(?=[\\s\\S]))',
  lineEnds: '(?=\\n|(?![\\s\\S]))',
  textEnds: () => '(?=\\n?(?![\\s\\S]))',
};

const newline = '\\n\\v\\f\\r\\x85\\x{2028}\\x{2029}';
const quantifier = /^(?:[*?]|\{.+)$/;

/** RE2, whose time grows with the length of the text only. It has no look-around and no back-references. */
export const linear: Dialect = {
  escapes: {
    A: '\\A',
    z: '\\z',
    h: '[ \\t]',
    s: `[${space}]`,
    S: `[^${space}]`,
    v: `[${newline}]`,
    R: `(?:\\r\\n|[${newline}])`,
    a: '\\x07',
    e: '\\x1b',
  },
  same: /^[dDwWbBnrtfx]$/,
  sameInClass: /^[dDwWnrtfx]$/,
  groups: /^\((?:\?(?::|P?<))?$/,
  dot: { all: '(?s:.)', line: '[^\\n]' },
  lineBegins(tokens, at) {
    // In PCRE2 no line begins behind a newline that ends the text. In RE2 one does, so a character must follow.
    const [next = '', afterNext = ''] = tokens.slice(at + 1);
    const isCharacter =
      next.length > 1 ? /^(?:\[|\\[^AzZbBR])/.test(next) : next !== '' && !/^[()|^$*+?]$/.test(next);
    if (!isCharacter || quantifier.test(afterNext)) {
      throw new NotExpressible('^ with the option m is only known here before a character');
    }
    return '(?m:^)';
  },
  lineEnds: '(?m:$)',
  textEnds(tokens, at) {
    // The newline is consumed, so nothing may follow.
    if (!isLast(tokens, at)) {
      throw new NotExpressible(`${tokens[at]} with something behind it is not known here`);
    }
    return '(?:\\n?\\z)';
  },
};

/** True if nothing of the pattern comes after a token. The other alternatives of its groups do not. */
function isLast(tokens: readonly string[], at: number): boolean {
  let inOtherAlternative = false;
  let depth = 0;
  for (const t of tokens.slice(at + 1)) {
    if (t.startsWith('(')) depth++;
    if (t === ')' && depth-- === 0) {
      depth = 0;
      inOtherAlternative = false;
    } else if (t === '|' && depth === 0) inOtherAlternative = true;
    else if (!inOtherAlternative) return false;
  }
  return true;
}
