import type { Matcher } from '../query/match';
import type { Node } from '../query/node';
import type { Sort } from '../query/sort';
import type { Collection } from '../store/collection';
import type { IndexScan } from './index-scan';

/** How the documents of a query are found. */
export type Source =
  | { readonly kind: 'collection' }
  | { readonly kind: 'index'; readonly scan: IndexScan }
  /** The branches of an $or, each with its own index scan. With `merge`, they are merged by that sort order. */
  | { readonly kind: 'or'; readonly branches: readonly Branch[]; readonly merge: Sort | undefined }
  /** A lookup by _id. */
  | { readonly kind: 'id'; readonly key: Buffer };

export interface Branch {
  readonly scan: IndexScan;
  readonly matches: Matcher | undefined;
}

export interface Plan {
  /** Undefined if the index does not exist, in which case nothing is found. */
  readonly collection: Collection | undefined;
  readonly source: Source;
  /** Applied to each document found. Undefined if the source is exact. */
  readonly matches: Matcher | undefined;
  /** Set if the documents must be collected and sorted in memory. */
  readonly blockingSort: Sort | undefined;
  readonly skip: number;
  /** 0 means all. */
  readonly limit: number;
}

export interface Query {
  readonly filter: Node;
  readonly sort: Sort | undefined;
  readonly skip: number;
  /** 0 means all. */
  readonly limit: number;
  readonly hint: Hint | undefined;
}

/** A query for all documents that match, in any order. */
export const unlimited = { sort: undefined, skip: 0, limit: 0, hint: undefined } as const;

export type Hint =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'key'; readonly key: readonly (readonly [string, number])[] };
