/** A piece of the query text: half open, in UTF-16 units from 0, so that `text.slice(start, end)` shows it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** `+` is must; `-`, `!` and `NOT` are must_not; nothing is undefined. */
export type Modifier = 'must' | 'must_not' | undefined;

/** The word before a clause, if any: `AND` and `&&`, or `OR` and `||`. */
export type Conjunction = 'and' | 'or' | undefined;

/** `"a" TO *`: an open bound is undefined. */
export interface RangeValue {
  readonly kind: 'range';
  readonly at: Span;
  readonly low: string | undefined;
  readonly high: string | undefined;
  readonly includesLow: boolean;
  readonly includesHigh: boolean;
}

export interface ComparisonValue {
  readonly kind: 'comparison';
  readonly at: Span;
  readonly operator: '>' | '>=' | '<' | '<=';
  readonly text: string;
}

/** A quoted string. `distance` is the number behind `~`; without `~` it is undefined. */
export interface PhraseValue {
  readonly kind: 'phrase';
  readonly at: Span;
  readonly text: string;
  readonly distance: number | undefined;
}

/** An unquoted word. `edits` is what stands behind `~`: a number, or `auto` for `~` alone. */
export interface TermValue {
  readonly kind: 'term';
  readonly at: Span;
  readonly text: string;
  readonly prefix: boolean;
  readonly edits: 0 | 1 | 2 | 'auto' | undefined;
}

interface ExistsValue {
  readonly kind: 'exists';
  readonly at: Span;
}

export interface GroupValue {
  readonly kind: 'group';
  readonly at: Span;
  readonly clauses: readonly GroupClause[];
}

export type Value = ExistsValue | RangeValue | ComparisonValue | PhraseValue | TermValue | GroupValue;

export interface GroupClause {
  readonly at: Span;
  readonly modifier: Modifier;
  readonly conjunction: Conjunction;
  readonly value: Value;
}

export interface Clause extends GroupClause {
  readonly path: string;
}

/** What the text says, before anybody has asked whether its fields exist. */
export interface Query {
  readonly text: string;
  readonly clauses: readonly Clause[];
}
