import { BsonType } from '../bson/types';
import type { Node } from '../query/node';
import { boundsOf, type Bounds } from './bounds';

/** A requirement of the filter on one path, with the bounds it yields for an index on that path. */
export interface Condition {
  readonly path: string;
  readonly bounds: Bounds;
  /** The index of the filter's conjunct from which it is derived. */
  readonly conjunct: number;
}

/** The parts of a filter that are combined by AND. */
export function conjunctsOf(node: Node): Node[] {
  if (node.kind !== 'and') return [node];
  return node.nodes.flatMap(conjunctsOf);
}

export function conditionsOf(conjuncts: readonly Node[]): Condition[] {
  return conjuncts.flatMap(conditionsIn);
}

function conditionsIn(node: Node, conjunct: number): Condition[] {
  if (node.kind === 'and') return node.nodes.flatMap((n) => conditionsIn(n, conjunct));
  if (node.kind !== 'field') return [];
  // In 'l.0', 0 may be an array index or a field name. An index contains keys for only one of them, so it cannot be
  // used.
  if (node.path.segments.some((s) => s.index >= 0)) return [];
  const bounds = boundsOf(node.test);
  return bounds === undefined ? [] : [{ path: node.path.text, bounds, conjunct }];
}

/** True if a conjunct ensures that the path exists in the document. A null value counts as existing. */
export function requiresPresence(node: Node, path: string): boolean {
  if (node.kind === 'and') return node.nodes.some((n) => requiresPresence(n, path));
  if (node.kind === 'not') {
    // {$ne: null} ensures existence only without arrays on the path: 'a.b' is missing from {a: []}, but not null.
    const { node: inner } = node;
    if (path.includes('.')) return false;
    return (
      inner.kind === 'field' &&
      inner.path.text === path &&
      inner.test.op === 'eq' &&
      inner.test.value.type === BsonType.null
    );
  }
  if (node.kind !== 'field' || node.path.text !== path) return false;
  if (node.test.op === 'exists' || node.test.op === 'elemMatch') return true;
  const bounds = boundsOf(node.test);
  return bounds !== undefined && !bounds.matchesMissing;
}
