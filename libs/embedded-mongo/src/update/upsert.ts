import { MongoError } from '../errors';
import type { BsonValue } from '../bson/value';
import type { Node } from '../query/node';
import { fieldAt } from './field';
import { ObjectTree, toVal } from './tree';
import { applyUpdate, type Update } from './update';

/** The document that an upsert inserts: the equality conditions of the filter, then the update. */
export function upsertDocument(filter: Node, update: Update): BsonValue {
  const base = new ObjectTree();
  for (const [path, value] of equalities(filter)) {
    if (update.kind === 'replace' && path !== '_id') continue;
    const field = fieldAt(base, path.split('.'), true)!;
    if (field.get() !== undefined) {
      throw new MongoError(54, `cannot infer query fields to set, path '${path}' is matched twice`);
    }
    field.set(value);
  }
  return applyUpdate(toVal(base), update, true);
}

function equalities(node: Node): [string, BsonValue][] {
  if (node.kind === 'and') return node.nodes.flatMap(equalities);
  if (node.kind === 'or') return node.nodes.length === 1 ? equalities(node.nodes[0]!) : [];
  if (node.kind !== 'field') return [];
  const { test, path } = node;
  if (test.op === 'eq') return [[path.text, test.value]];
  // MongoDB's optimizer turns `$in` with a single value into an equality.
  const only = test.op === 'in' && test.values.length === 1 ? test.values[0] : undefined;
  return only === undefined ? [] : [[path.text, only]];
}
