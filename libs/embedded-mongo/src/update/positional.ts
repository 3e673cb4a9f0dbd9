import { badValue } from '../errors';
import { print } from '../bson/print';
import { BsonType } from '../bson/types';
import { FieldReader, type BsonValue } from '../bson/value';
import { anyValue, pathOf } from '../keys/path';
import { compileFilter, compileTest } from '../query/match';
import type { Node } from '../query/node';
import type { ArrayFilters } from './array-filters';
import { ArrayTree, type ObjectTree, lookup, opened, toVal } from './tree';
import type { UpdateContext } from './update-context';

/** Replaces `$`, `$[]` and `$[identifier]` by array indexes, which may result in several paths. */
export function concretePaths(
  root: ObjectTree,
  before: BsonValue,
  names: readonly string[],
  path: string,
  filters: ArrayFilters,
  context: UpdateContext,
): string[][] {
  let out: string[][] = [[]];
  names.forEach((name, i) => {
    if (name === '$') {
      out = out.map((p) => [...p, String(matchedPosition(context, before, names.slice(0, i).join('.')))]);
    } else if (name.startsWith('$[') && name.endsWith(']')) {
      const identifier = name.slice(2, -1);
      out = out.flatMap((p) => positions(root, p, path, identifier, filters).map((n) => [...p, String(n)]));
    } else {
      out = out.map((p) => [...p, name]);
    }
  });
  return out;
}

function positions(
  root: ObjectTree,
  names: readonly string[],
  path: string,
  identifier: string,
  filters: ArrayFilters,
): number[] {
  const found = lookup(root, names);
  if (found === undefined) {
    throw badValue(
      `The path '${names.join('.')}' must exist in the document in order to apply array updates.`,
    );
  }
  const array = opened(found);
  if (!(array instanceof ArrayTree)) {
    throw badValue(
      `Cannot apply array updates to non-array element ${names.at(-1)!}: ${print(toVal(array))} (${path})`,
    );
  }
  const out: number[] = [];
  array.items.forEach((t, i) => {
    if (identifier === '' || filters.matches(identifier, toVal(t))) out.push(i);
  });
  return out;
}

/** The index of the first array element that matches the filter. */
function matchedPosition(context: UpdateContext, doc: BsonValue, arrayPath: string): number {
  const position = context.inserting ? undefined : positionIn(context.filter, doc, arrayPath);
  if (position === undefined) {
    throw badValue('The positional operator did not find the match needed from the query.');
  }
  return position;
}

function positionIn(node: Node, doc: BsonValue, arrayPath: string): number | undefined {
  if (node.kind === 'not' || node.kind === 'nor') return undefined;
  if (node.kind !== 'field') {
    for (const n of node.nodes) {
      if (node.kind === 'or' && !compileFilter(n)(doc)) continue;
      const found = positionIn(n, doc, arrayPath);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  const { text } = node.path;
  if (text !== arrayPath && !text.startsWith(`${arrayPath}.`)) return undefined;
  const array = arrayIn(doc, arrayPath);
  if (array === undefined) return undefined;
  const rest = text === arrayPath ? undefined : pathOf(text.slice(arrayPath.length + 1));
  const matches = elementTest(node, rest?.segments);
  const r = new FieldReader(array);
  for (let i = 0; r.next(); i++) if (matches(r.value)) return i;
  return undefined;
}

function elementTest(
  node: Extract<Node, { kind: 'field' }>,
  rest: ReturnType<typeof pathOf>['segments'] | undefined,
): (element: BsonValue) => boolean {
  const { test } = node;
  if (rest !== undefined) {
    const inner = compileTest(test);
    const expand = test.op !== 'size' && test.op !== 'elemMatchObject' && test.op !== 'elemMatchValue';
    return (e) => e.type === BsonType.object && anyValue(e, rest, 0, inner, expand);
  }
  if (test.op === 'elemMatchObject') {
    const inner = compileFilter(test.node);
    return (e) => e.type === BsonType.object && inner(e);
  }
  if (test.op === 'elemMatchValue') {
    const tests = test.tests.map((t) => ({ negated: t.negated, inner: t.tests.map(compileTest) }));
    return (e) => tests.every((t) => t.inner.every((x) => x(e)) !== t.negated);
  }
  const inner = compileTest(test);
  return (e) => inner(e);
}

function arrayIn(doc: BsonValue, path: string): BsonValue | undefined {
  const found = lookup(doc, path.split('.'));
  if (found === undefined) return undefined;
  const v = toVal(found);
  return v.type === BsonType.array ? v : undefined;
}
