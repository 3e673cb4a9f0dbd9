import { MongoError, failedToParse } from '../errors';
import { BsonType, typeName } from '../bson/types';
import { elementsOf, fieldsOf, firstFieldName, stringOf, type BsonValue } from '../bson/value';
import type { Expression, Scope } from '../expressions/evaluate';
import { parseExpression } from '../expressions/parse';
import { ArrayTree, ObjectTree, opened, toVal, type Tree } from './tree';

export type PipelineStage = (doc: BsonValue, now: number) => BsonValue;

export function compilePipeline(stages: readonly BsonValue[]): PipelineStage[] {
  return stages.map((stage) => {
    const name = stage.type === BsonType.object ? firstFieldName(stage) : undefined;
    if (name === undefined || fieldsOf(stage).length !== 1) {
      throw new MongoError(40323, 'A pipeline stage specification object must contain exactly one field.');
    }
    const argument = fieldsOf(stage)[0]![1];
    switch (name) {
      case '$set':
      case '$addFields':
        return compileAddFields(name, argument);
      case '$unset':
        return compileUnset(argument);
      case '$replaceWith':
        return compileReplace(argument);
      case '$replaceRoot':
        return compileReplace(newRootOf(argument));
      default:
        if (name.startsWith('$')) throw new MongoError(40324, `Unrecognized pipeline stage name: '${name}'`);
        throw failedToParse(`Unrecognized pipeline stage name: '${name}'`);
    }
  });
}

/** An assignment of $set: a value, or fields that are merged into the existing ones. */
type Assignment = { readonly value: Expression } | { readonly fields: Map<string, Assignment> };

function compileAddFields(name: string, spec: BsonValue): PipelineStage {
  if (spec.type !== BsonType.object) {
    throw new MongoError(40272, `${name} specification stage must be an object, got ${typeName(spec.type)}`);
  }
  const root = new Map<string, Assignment>();
  for (const [path, v] of fieldsOf(spec)) assign(root, namesOf(path), v);
  return (doc, now) => {
    const scope: Scope = { root: doc, variables: new Map(), now };
    const tree = new ObjectTree(doc);
    setFields(tree, root, scope);
    return toVal(tree);
  };
}

function namesOf(path: string): string[] {
  const names = path.split('.');
  if (names.includes('')) throw new MongoError(40353, `FieldPath '${path}' holds an empty name.`);
  if (names.some((n) => n.startsWith('$'))) {
    throw new MongoError(
      16410,
      `FieldPath field names may not start with '$'. Consider using $getField or $setField. Path: '${path}'`,
    );
  }
  return names;
}

function assign(into: Map<string, Assignment>, names: readonly string[], v: BsonValue): void {
  const [name, ...rest] = names as [string, ...string[]];
  const known = into.get(name);
  const nested = rest.length > 0 || (v.type === BsonType.object && isPlainDocument(v));
  if (known !== undefined && (!nested || 'value' in known)) {
    throw new MongoError(40176, `specification contains two conflicting paths at '${name}'`);
  }
  if (!nested) {
    into.set(name, { value: parseExpression(v) });
    return;
  }
  const fields = known !== undefined && 'fields' in known ? known.fields : new Map<string, Assignment>();
  if (rest.length > 0) assign(fields, rest, v);
  else for (const [n, x] of fieldsOf(v)) assign(fields, namesOf(n), x);
  into.set(name, { fields });
}

const isPlainDocument = (v: BsonValue): boolean => {
  const first = firstFieldName(v);
  return first !== undefined && !first.startsWith('$');
};

function setFields(tree: ObjectTree, fields: ReadonlyMap<string, Assignment>, scope: Scope): void {
  for (const [name, a] of fields) {
    if ('value' in a) {
      const v = a.value(scope);
      if (v === undefined) tree.fields.delete(name);
      else tree.fields.set(name, v);
    } else {
      tree.fields.set(name, merged(tree.fields.get(name), a.fields, scope));
    }
  }
}

/** Merges fields into a document or into every element of an array. Any other value is replaced. */
function merged(current: Tree | undefined, fields: ReadonlyMap<string, Assignment>, scope: Scope): Tree {
  const o = current === undefined ? undefined : opened(current);
  if (o instanceof ArrayTree) {
    const out = new ArrayTree();
    for (const item of o.items) out.items.push(merged(item, fields, scope));
    return out;
  }
  const target = o instanceof ObjectTree ? o : new ObjectTree();
  setFields(target, fields, scope);
  return target;
}

function compileUnset(spec: BsonValue): PipelineStage {
  const given = spec.type === BsonType.array ? elementsOf(spec) : [spec];
  if (given.length === 0 || given.some((v) => v.type !== BsonType.string || stringOf(v) === '')) {
    throw new MongoError(
      31120,
      '$unset specification must be a string or an array containing only string values',
    );
  }
  const paths = given.map((v) => namesOf(stringOf(v)));
  return (doc) => {
    const tree = new ObjectTree(doc);
    for (const names of paths) removePath(tree, names);
    return toVal(tree);
  };
}

function removePath(tree: ObjectTree, names: readonly string[]): void {
  const [name, ...rest] = names as [string, ...string[]];
  if (rest.length === 0) {
    tree.fields.delete(name);
    return;
  }
  const child = tree.fields.get(name);
  if (child !== undefined) tree.fields.set(name, removedBelow(child, rest));
}

function removedBelow(t: Tree, names: readonly string[]): Tree {
  const o = opened(t);
  if (o instanceof ObjectTree) removePath(o, names);
  else if (o instanceof ArrayTree) o.items.forEach((item, i) => (o.items[i] = removedBelow(item, names)));
  return o;
}

function newRootOf(spec: BsonValue): BsonValue {
  const fields = spec.type === BsonType.object ? fieldsOf(spec) : [];
  if (fields.length !== 1 || fields[0]![0] !== 'newRoot') {
    throw new MongoError(40231, '$replaceRoot takes exactly one field, newRoot');
  }
  return fields[0]![1];
}

function compileReplace(spec: BsonValue): PipelineStage {
  const expression = parseExpression(spec);
  return (doc, now) => {
    const v = expression({ root: doc, variables: new Map(), now });
    if (v === undefined || v.type !== BsonType.object) {
      throw new MongoError(
        40228,
        `'replacement document' must evaluate to an object, but resulting value was of type: ${v === undefined ? 'missing' : typeName(v.type)}`,
      );
    }
    return v;
  };
}
