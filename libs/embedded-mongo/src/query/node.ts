import type { Val } from '../bson/value';
import type { Path } from '../keys/path';

/** What a filter says, as a tree: the matcher runs it, the planner reads bounds from it. */
export type Node =
  | { readonly kind: 'and' | 'or' | 'nor'; readonly nodes: readonly Node[] }
  | { readonly kind: 'not'; readonly node: Node }
  | { readonly kind: 'field'; readonly path: Path; readonly test: Test };

/** What is asked of the values that a path reaches. */
export type Test =
  | { readonly op: 'eq' | 'lt' | 'lte' | 'gt' | 'gte'; readonly value: Val }
  | { readonly op: 'in'; readonly values: readonly Val[]; readonly regexes: readonly Pattern[] }
  | { readonly op: 'regex'; readonly pattern: Pattern }
  | { readonly op: 'exists' }
  | { readonly op: 'type'; readonly types: ReadonlySet<number> }
  | { readonly op: 'size'; readonly size: number }
  | { readonly op: 'mod'; readonly divisor: bigint; readonly remainder: bigint }
  /** $elemMatch with operators: one element passes all tests. */
  | { readonly op: 'elemMatchValue'; readonly tests: readonly ElementTest[] }
  /** $elemMatch with a filter: one element that is a document (or an array) matches it. */
  | { readonly op: 'elemMatchObject'; readonly node: Node };

export interface ElementTest {
  readonly negated: boolean;
  /** Several tests under one $not are negated together. */
  readonly tests: readonly Test[];
}

export interface Pattern {
  readonly source: string;
  readonly options: string;
  readonly regex: RegExp;
}

export const ALWAYS: Node = { kind: 'and', nodes: [] };
