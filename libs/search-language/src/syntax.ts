/** A range of the query text in UTF-16 units, end exclusive, so that `text.slice(start, end)` returns it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** `+` is must; `-`, `!` and `NOT` are must_not; undefined if there is no sign. */
export type Modifier = 'must' | 'must_not' | undefined;

/** The operator before a clause, if any: `AND` or `&&`, `OR` or `||`. */
export type Conjunction = 'and' | 'or' | undefined;

/** A range such as `["a" TO *]`. An open bound is undefined. */
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

/** A quoted string. `distance` is the number after `~`, or undefined if there is no `~`. */
export interface PhraseValue {
  readonly kind: 'phrase';
  readonly at: Span;
  readonly text: string;
  readonly distance: number | undefined;
}

/** An unquoted word. `edits` is the number after `~`, or `auto` for `~` alone. */
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

/** A parsed query. Its fields have not been resolved yet. */
export interface Query {
  readonly text: string;
  readonly clauses: readonly Clause[];
}
