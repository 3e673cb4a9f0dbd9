import { RE2JS } from 're2js';

/**
 * The regular expressions of mappings: RE2 syntax, matched in linear time. Constructs that need backtracking
 * (look-around, back-references) do not compile.
 */
export interface PatternMatch {
  readonly text: string;
  /** The groups in order; undefined for a group that did not match. */
  readonly groups: readonly (string | undefined)[];
  readonly named: Readonly<Record<string, string>>;
}

export interface Pattern {
  readonly groupNames: readonly string[];
  readonly groupCount: number;
  match(text: string): PatternMatch | undefined;
  /** All matches in a text that do not overlap. */
  matchAll(text: string): readonly PatternMatch[];
  test(text: string): boolean;
}

/** @throws Error with RE2's message if the pattern does not compile. */
export function compilePattern(source: string): Pattern {
  const compiled = RE2JS.compile(source);
  const groupIndexes = Object.entries(compiled.namedGroups());
  const count = compiled.groupCount();
  const matchOf = (matcher: ReturnType<typeof compiled.matcher>): PatternMatch => {
    const groups: (string | undefined)[] = [];
    for (let index = 1; index <= count; index++) groups.push(matcher.group(index) ?? undefined);
    const named: Record<string, string> = {};
    for (const [name, index] of groupIndexes) {
      const value = groups[index - 1];
      if (value !== undefined) named[name] = value.trim();
    }
    return { text: matcher.group(0) ?? '', groups, named };
  };
  return {
    groupNames: groupIndexes.map(([name]) => name),
    groupCount: count,
    test: (text) => compiled.matcher(text).find(),
    match(text) {
      const matcher = compiled.matcher(text);
      return matcher.find() ? matchOf(matcher) : undefined;
    },
    matchAll(text) {
      const matcher = compiled.matcher(text);
      const matches: PatternMatch[] = [];
      while (matcher.find()) {
        const match = matchOf(matcher);
        // An empty match says nothing.
        if (match.text !== '') matches.push(match);
      }
      return matches;
    },
  };
}

const compiledLiterals = new WeakMap<RegExp, RE2JS>();

function compileLiteral(literal: RegExp): RE2JS {
  let compiled = compiledLiterals.get(literal);
  if (!compiled) {
    const flags =
      (literal.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0) | (literal.multiline ? RE2JS.MULTILINE : 0);
    compiled = RE2JS.compile(literal.source, flags);
    compiledLiterals.set(literal, compiled);
  }
  return compiled;
}

/** Replaces RegExp in JSONata, so that the literals of an expression are also matched in linear time. */
export class LinearRegExp {
  lastIndex = 0;
  private readonly compiled: RE2JS;

  constructor(literal: RegExp) {
    this.compiled = compileLiteral(literal);
  }

  exec(text: string): RegExpExecArray | null {
    const matcher = this.compiled.matcher(text);
    if (this.lastIndex > text.length || !matcher.find(this.lastIndex)) {
      this.lastIndex = 0;
      return null;
    }
    this.lastIndex = matcher.end();
    const groups: (string | undefined)[] = [];
    for (let index = 0; index <= this.compiled.groupCount(); index++) {
      groups.push(matcher.group(index) ?? undefined);
    }
    return Object.assign(groups, { index: matcher.start(), input: text }) as RegExpExecArray;
  }
}
