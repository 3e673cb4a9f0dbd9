import type { Field } from './fields';
import type { Span } from './syntax';

/** The role of a clause within its group, in the terms of Lucene's boolean query. */
export type Occur = 'must' | 'should' | 'must_not';

/** The test of a condition on the values of its field. */
export type Test =
  | { readonly kind: 'exists' }
  /** Consecutive words. With a distance, they may be apart; with edits, they may be misspelt. */
  | {
      readonly kind: 'words';
      readonly words: readonly string[];
      /** The last word also matches words that start with it. */
      readonly lastIsPrefix: boolean;
      /** The maximum number of edits of each word. */
      readonly edits: readonly (0 | 1 | 2)[];
      /** Undefined: the words must be consecutive. */
      readonly distance: number | undefined;
    }
  /** Text without words, at any position in the value. */
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'equals'; readonly text: string }
  | { readonly kind: 'startsWith'; readonly text: string }
  | { readonly kind: 'between'; readonly low: Bound | undefined; readonly high: Bound | undefined };

export interface Bound {
  readonly value: number;
  readonly inclusive: boolean;
}

export interface Condition {
  readonly kind: 'condition';
  readonly field: Field;
  readonly test: Test;
}

export interface Conditions {
  readonly kind: 'group';
  readonly members: readonly Member[];
}

export interface Member {
  readonly occur: Occur;
  readonly at: Span;
  readonly node: Condition | Conditions;
}
