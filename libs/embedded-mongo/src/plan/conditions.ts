import { BsonType } from '../bson/types';
import type { Node } from '../query/node';
import { boundsOf, type Bounds } from './bounds';

/** A requirement of the filter on one path, with the bounds it yields for an index on that path. */
export interface Condition {
  readonly path: string;
  readonly bounds: Bounds;
  /** The index of the filter's conjunct from which it is derived. */
  readonly conjunct: number;
  /**
   * Identifies the $elemMatch; -1 if there is none. Conditions of the same $elemMatch apply to the same element, so
   * they may be combined.
   */
  readonly element: number;
}

/** The parts of a filter that are combined by AND. */
export function conjunctsOf(node: Node): Node[] {
  if (node.kind !== 'and') return [node];
  return node.nodes.flatMap(conjunctsOf);
}

let elements = 0;

export function conditionsOf(conjuncts: readonly Node[]): Condition[] {
  return conjuncts.flatMap((node, conjunct) => conditionsIn(node, conjunct, '', -1));
}

function conditionsIn(node: Node, conjunct: number, prefix: string, element: number): Condition[] {
  if (node.kind === 'and') return node.nodes.flatMap((n) => conditionsIn(n, conjunct, prefix, element));
  if (node.kind !== 'field') return [];
  // In 'l.0', 0 may be an array index or a field name. An index contains keys for only one of them, so it cannot be
  // used.
  if (node.path.segments.some((s) => s.index >= 0)) return [];
  const path = prefix + node.path.text;
  if (node.test.op === 'elemMatchObject') {
    const own = ++elements;
    const inner = conditionsIn(node.test.node, conjunct, `${path}.`, own);
    return inner.map((condition) => ({
      ...condition,
      // The path may contain another array, whose elements may satisfy the conditions separately.
      element:
        condition.element === own && condition.path.includes('.', path.length + 1)
          ? ++elements
          : condition.element,
      bounds: { ...condition.bounds, exact: false, exactWithoutArrays: false },
    }));
  }
  const bounds = boundsOf(node.test);
  return bounds === undefined ? [] : [{ path, bounds, conjunct, element }];
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
  if (node.test.op === 'exists' || node.test.op === 'elemMatchValue' || node.test.op === 'elemMatchObject')
    return true;
  const bounds = boundsOf(node.test);
  return bounds !== undefined && !bounds.matchesMissing;
}
