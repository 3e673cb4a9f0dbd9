import type { Field } from './fields';
import type { Span } from './syntax';

/** What a clause does in its list: the words of Lucene's boolean query. */
export type Occur = 'must' | 'should' | 'must_not';

/** What a condition asks of the values of its field. */
export type Test =
  | { readonly kind: 'exists' }
  /** Words next to each other; with a distance they may be apart, with edits they may be misspelt. */
  | {
      readonly kind: 'words';
      readonly words: readonly string[];
      /** The last word may be the beginning of one. */
      readonly lastIsPrefix: boolean;
      /** Allowed edits of each word. */
      readonly edits: readonly (0 | 1 | 2)[];
      /** Undefined: exactly next to each other. */
      readonly distance: number | undefined;
    }
  /** A string without any word, anywhere in the text. */
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
