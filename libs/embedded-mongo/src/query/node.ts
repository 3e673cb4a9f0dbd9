import type { BsonValue } from '../bson/value';
import type { Path } from '../keys/path';

/** The syntax tree of a filter. The matcher evaluates it, and the planner derives index bounds from it. */
export type Node =
  | { readonly kind: 'and' | 'or' | 'nor'; readonly nodes: readonly Node[] }
  | { readonly kind: 'not'; readonly node: Node }
  | { readonly kind: 'field'; readonly path: Path; readonly test: Test };

/** A test of the values at a path. */
export type Test =
  | { readonly op: 'eq' | 'lt' | 'lte' | 'gt' | 'gte'; readonly value: BsonValue }
  | { readonly op: 'in'; readonly values: readonly BsonValue[]; readonly patterns: readonly Pattern[] }
  | { readonly op: 'regex'; readonly pattern: Pattern }
  | { readonly op: 'exists' }
  /** A single element must pass all tests. */
  | { readonly op: 'elemMatch'; readonly tests: readonly Test[] };

export interface Pattern {
  /**
   * The text with which every match starts, and whether that is the whole condition; undefined if there is no such text.
   */
  readonly prefix: { readonly text: string; readonly whole: boolean } | undefined;
  test(text: string): boolean;
}

export const matchAll: Node = { kind: 'and', nodes: [] };
