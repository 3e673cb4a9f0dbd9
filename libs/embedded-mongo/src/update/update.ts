import { MongoError, badValue, failedToParse } from '../errors';
import { equal } from '../bson/compare';
import { print } from '../bson/print';
import { BsonType, typeName } from '../bson/types';
import { fieldsOf, firstFieldName, type BsonValue } from '../bson/value';
import { includes, updateOperators } from '../supported';
import { checkConflicts, compareUpdatePaths } from './conflicts';
import { operators, type Operator } from './operators';
import { fieldAt } from './field';
import { ObjectTree, toVal, type Tree } from './tree';

interface Change {
  readonly names: readonly string[];
  readonly operator: Operator;
  /** Set for $setOnInsert, which does not change existing documents. */
  readonly insertOnly: boolean;
}

/** A parsed update: a replacement, or operators. */
export type Update =
  | { readonly kind: 'replace'; readonly doc: BsonValue }
  | { readonly kind: 'operators'; readonly changes: readonly Change[] };

export function parseUpdate(u: BsonValue): Update {
  if (u.type !== BsonType.object)
    throw failedToParse(`this server supports only an object as update argument, found ${typeName(u.type)}`);
  if (firstFieldName(u)?.startsWith('$') === true) return parseOperators(u);
  const operator = fieldsOf(u).find(([name]) => name.startsWith('$'));
  if (operator !== undefined)
    throw new MongoError(
      52,
      `The dollar ($) prefixed field '${operator[0]}' is not allowed in the context of an update's replacement document.`,
    );
  return { kind: 'replace', doc: u };
}

function parseOperators(u: BsonValue): Update {
  const changes: Change[] = [];
  for (const [name, fields] of fieldsOf(u)) {
    if (!includes(updateOperators, name))
      throw failedToParse(`Unknown modifier: ${name}. Expected a valid update modifier`);
    if (fields.type !== BsonType.object)
      throw failedToParse(`Modifiers operate on fields but we found type ${typeName(fields.type)} instead`);
    for (const [path, value] of fieldsOf(fields)) {
      const operator = operators[name](value, path);
      changes.push({ names: namesOf(path), operator, insertOnly: name === '$setOnInsert' });
    }
  }
  checkConflicts(changes.map((change) => change.names));
  changes.sort((a, b) => compareUpdatePaths(a.names, b.names));
  return { kind: 'operators', changes };
}

/** Throws code 2 for the positional operators `$`, `$[]` and `$[identifier]`. */
function namesOf(path: string): string[] {
  if (path === '') throw new MongoError(56, 'An empty update path is not valid.');
  const names = path.split('.');
  if (names.includes(''))
    throw new MongoError(56, `The update path '${path}' contains an empty field name, which is not allowed.`);
  const operator = names.find((name) => name.startsWith('$'));
  if (operator === undefined) return names;
  if (operator === '$' || operator.startsWith('$['))
    throw badValue(`this server does not support positional operators, found '${path}'`);
  throw new MongoError(
    52,
    `The dollar ($) prefixed field '${operator}' in '${path}' is not valid for storage.`,
  );
}

/**
 * The document after the update, with the same bytes if nothing changed. Throws MongoDB's error if the update is not
 * possible.
 */
export function applyUpdate(doc: BsonValue, update: Update, inserting: boolean): BsonValue {
  if (update.kind === 'replace') return replaced(doc, update.doc);
  const root = new ObjectTree(doc);
  const id = root.fields.get('_id');
  for (const { names, operator, insertOnly } of update.changes) {
    if (insertOnly && !inserting) continue;
    const field = fieldAt(root, names, operator.creates);
    if (field) operator.apply(field);
  }
  const after = toVal(root);
  if (id !== undefined) checkIdKept(toVal(id), root.fields.get('_id'));
  return after;
}

function checkIdKept(before: BsonValue, after: Tree | undefined): void {
  if (after === undefined || !equal(before, toVal(after)))
    throw new MongoError(66, "Performing an update on the path '_id' would modify the immutable field '_id'");
}

function replaced(doc: BsonValue, by: BsonValue): BsonValue {
  const old = new ObjectTree(doc).fields.get('_id');
  const out = new ObjectTree();
  const fresh = new ObjectTree(by);
  const id = fresh.fields.get('_id');
  if (old !== undefined && id !== undefined && !equal(toVal(old), toVal(id))) {
    throw new MongoError(
      66,
      `After applying the update, the (immutable) field '_id' was found to have been altered to _id: ${print(toVal(id))}`,
    );
  }
  const kept = old ?? id;
  if (kept !== undefined) out.fields.set('_id', kept);
  for (const [name, v] of fresh.fields) if (name !== '_id') out.fields.set(name, v);
  return toVal(out);
}
