import type { Matcher } from '../query/match';
import type { Node } from '../query/node';
import type { Sort } from '../query/sort';
import type { Collection } from '../store/collection';
import type { IndexScan } from './index-scan';

/** How a query finds its documents. */
export type Source =
  | { readonly kind: 'collection'; readonly backwards: boolean }
  | { readonly kind: 'index'; readonly scan: IndexScan }
  /** Branches of an $or, each from an index of its own; merged by the sort when `merge` is set. */
  | { readonly kind: 'or'; readonly branches: readonly Branch[]; readonly merge: Sort | undefined }
  /** One document by its _id. */
  | { readonly kind: 'id'; readonly key: Buffer }
  | { readonly kind: 'nothing' };

export interface Branch {
  readonly scan: IndexScan;
  readonly matches: Matcher | undefined;
}

export interface Plan {
  readonly collection: Collection | undefined;
  readonly source: Source;
  /** Asked of each document found; undefined when the source is exact. */
  readonly matches: Matcher | undefined;
  /** Set when the documents must be collected and sorted. */
  readonly blockingSort: Sort | undefined;
}

export interface Query {
  readonly filter: Node;
  readonly sort: Sort | undefined;
  readonly skip: number;
  /** 0 means all. */
  readonly limit: number;
  /** An index name or key pattern. */
  readonly hint: Hint | undefined;
}

export type Hint =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'key'; readonly key: readonly (readonly [string, number])[] }
  | { readonly kind: 'natural'; readonly direction: number };
