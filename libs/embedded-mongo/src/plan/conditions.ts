import type { Node } from '../query/node';
import { boundsOf, type Bounds } from './bounds';

/** Something that the whole filter requires of one path, with the bounds that it gives an index on that path. */
export interface Condition {
  readonly path: string;
  readonly bounds: Bounds;
  /** Which conjunct of the filter it comes from. */
  readonly conjunct: number;
  /** Conditions of one $elemMatch hold for the same element and may be combined. */
  readonly element: number;
}

/** The parts of a filter that must all hold. */
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
  // 'l.0' may mean a position or a field named 0; an index files one meaning only, so it serves neither.
  if (node.path.segments.some((s) => s.index >= 0)) return [];
  const path = prefix + node.path.text;
  if (node.test.op === 'elemMatchObject') {
    const own = ++elements;
    const inner = conditionsIn(node.test.node, conjunct, `${path}.`, own);
    return inner.map((c) => ({
      ...c,
      // Further below there may be another array, of which different elements meet different conditions.
      element: c.element === own && c.path.includes('.', path.length + 1) ? ++elements : c.element,
      bounds: { ...c.bounds, exact: false, exactWithoutArrays: false },
    }));
  }
  const bounds = boundsOf(node.test);
  return bounds === undefined ? [] : [{ path, bounds, conjunct, element }];
}

/** Whether a conjunct makes sure that the path is present in the document (and not merely null). */
export function requiresPresence(node: Node, path: string): boolean {
  if (node.kind === 'and') return node.nodes.some((n) => requiresPresence(n, path));
  if (node.kind === 'not') {
    // {$ne: null} makes sure of presence only without arrays on the way: 'a.b' is absent from {a: []} and not null there.
    const { node: inner } = node;
    if (path.includes('.')) return false;
    return (
      inner.kind === 'field' &&
      inner.path.text === path &&
      inner.test.op === 'eq' &&
      inner.test.value.type === 10
    );
  }
  if (node.kind !== 'field' || node.path.text !== path) return false;
  if (node.test.op === 'exists' || node.test.op === 'size' || node.test.op === 'mod') return true;
  if (node.test.op === 'type' || node.test.op === 'elemMatchValue' || node.test.op === 'elemMatchObject')
    return true;
  const bounds = boundsOf(node.test);
  return bounds !== undefined && !bounds.matchesMissing;
}
