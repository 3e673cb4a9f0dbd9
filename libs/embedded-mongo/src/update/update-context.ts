import type { Node } from '../query/node';

export interface UpdateContext {
  /** The filter that found the document, for the positional operator `$`. */
  readonly filter: Node;
  readonly inserting: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}
