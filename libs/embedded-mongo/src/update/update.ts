import { MongoError, badValue, failedToParse } from '../errors';
import { equal } from '../bson/compare';
import { print } from '../bson/print';
import { BsonType, typeName } from '../bson/types';
import { elementsOf, fieldsOf, firstFieldName, stringOf, type BsonValue } from '../bson/value';
import { parseArrayFilters, type ArrayFilters } from './array-filters';
import { compilePipeline, type PipelineStage } from './pipeline';
import { checkConflicts, compareUpdatePaths } from './conflicts';
import type { Operator } from './operator';
import { operators } from './operators';
import { placeAt } from './place';
import { concretePaths } from './positional';
import { ObjectTree, toVal } from './tree';
import type { UpdateContext } from './update-context';

interface Change {
  readonly path: string;
  readonly names: readonly string[];
  readonly operator: Operator;
}

interface Rename {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** A parsed update: a replacement, operators, or a pipeline. */
export type Update =
  | { readonly kind: 'replace'; readonly doc: BsonValue }
  | {
      readonly kind: 'operators';
      readonly changes: readonly Change[];
      readonly renames: readonly Rename[];
      readonly arrayFilters: ArrayFilters;
    }
  | { readonly kind: 'pipeline'; readonly stages: readonly PipelineStage[] };

export function parseUpdate(u: BsonValue, arrayFilters: BsonValue | undefined): Update {
  if (u.type === BsonType.array) {
    if (arrayFilters !== undefined)
      throw failedToParse('arrayFilters may not be specified for pipeline-syle updates');
    return { kind: 'pipeline', stages: compilePipeline(elementsOf(u)) };
  }
  if (u.type !== BsonType.object) {
    throw failedToParse(`Update argument must be either an object or an array, found ${typeName(u.type)}`);
  }
  if (firstFieldName(u)?.startsWith('$') !== true) {
    if (arrayFilters !== undefined && elementsOf(arrayFilters).length > 0) {
      throw failedToParse('arrayFilters may not be specified for replacement-style updates');
    }
    for (const [name] of fieldsOf(u)) {
      if (name.startsWith('$')) {
        throw new MongoError(
          52,
          `The dollar ($) prefixed field '${name}' in '${name}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
        );
      }
    }
    return { kind: 'replace', doc: u };
  }
  return parseOperators(u, parseArrayFilters(arrayFilters));
}

function parseOperators(u: BsonValue, arrayFilters: ArrayFilters): Update {
  const changes: Change[] = [];
  const renames: Rename[] = [];
  for (const [name, fields] of fieldsOf(u)) {
    const compile = Object.hasOwn(operators, name) ? operators[name] : undefined;
    if (compile === undefined && name !== '$rename') throw unknownModifier(name);
    if (fields.type !== BsonType.object) {
      throw failedToParse(
        `Modifiers operate on fields but we found type ${typeName(fields.type)} instead. For example: {$mod: {<field>: ...}} not {${name}: ${print(fields)}}`,
      );
    }
    for (const [path, value] of fieldsOf(fields)) {
      const names = namesOf(path);
      if (compile !== undefined) changes.push({ path, names, operator: compile(value, path) });
      else renames.push(parseRename(path, names, value));
    }
  }
  checkConflicts([...changes.map((c) => c.names), ...renames.flatMap((r) => [r.from, r.to])]);
  arrayFilters.checkUse(
    changes.map((c) => c.path),
    u,
  );
  changes.sort((a, b) => compareUpdatePaths(a.names, b.names));
  return { kind: 'operators', changes, renames, arrayFilters };
}

const unknownModifier = (name: string): MongoError =>
  failedToParse(
    name.startsWith('$')
      ? `Unknown modifier: ${name}. Expected a valid update modifier or pipeline-style update specified as an array`
      : `The update contains the field '${name}' beside operators; all fields must be operators`,
  );

function namesOf(path: string): string[] {
  if (path === '') throw new MongoError(56, 'An empty update path is not valid.');
  const names = path.split('.');
  if (names.includes('')) {
    throw new MongoError(56, `The update path '${path}' contains an empty field name, which is not allowed.`);
  }
  if (names[0]!.startsWith('$')) {
    if (names[0] === '$' || names[0]!.startsWith('$[')) {
      throw badValue(
        `Cannot have positional (i.e. '${names[0]}') element in the first position in path '${path}'`,
      );
    }
    throw new MongoError(
      52,
      `The dollar ($) prefixed field '${names[0]}' in '${path}' is not valid for storage.`,
    );
  }
  return names;
}

function parseRename(path: string, from: readonly string[], value: BsonValue): Rename {
  if (value.type !== BsonType.string)
    throw badValue(`The 'to' field for $rename must be a string: ${path}: ${print(value)}`);
  const to = namesOf(stringOf(value));
  if (to.join('.') === path) {
    throw badValue(`The source and target field for $rename must differ: ${path}: ${print(value)}`);
  }
  for (const names of [from, to]) {
    if (names.some((n) => n.startsWith('$'))) {
      throw badValue(`The source and target field for $rename may not be dynamic: ${names.join('.')}`);
    }
  }
  return { from, to };
}

/**
 * The document after the update, with the same bytes if nothing changed. Throws MongoDB's error if the update is not
 * possible.
 */
export function applyUpdate(doc: BsonValue, update: Update, context: UpdateContext): BsonValue {
  if (update.kind === 'replace') return replaced(doc, update.doc);
  const after =
    update.kind === 'pipeline'
      ? withId(
          doc,
          update.stages.reduce((d, stage) => stage(d, context.now), doc),
        )
      : applyOperators(doc, update, context);
  checkIdKept(doc, after, update.kind);
  return after;
}

/** Restores an `_id` that a pipeline removed, for example by `$unset` or `$replaceRoot`. */
function withId(before: BsonValue, after: BsonValue): BsonValue {
  const id = new ObjectTree(before).fields.get('_id');
  const fresh = new ObjectTree(after);
  if (id === undefined || fresh.fields.has('_id')) return after;
  const out = new ObjectTree();
  out.fields.set('_id', id);
  for (const [name, v] of fresh.fields) out.fields.set(name, v);
  return toVal(out);
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

function applyOperators(
  doc: BsonValue,
  update: Extract<Update, { kind: 'operators' }>,
  context: UpdateContext,
): BsonValue {
  const root = new ObjectTree(doc);
  for (const change of update.changes) {
    const { path, operator } = change;
    const applyContext = { root, inserting: context.inserting, now: context.now, path };
    if (path.includes('$')) {
      for (const names of concretePaths(root, doc, change.names, path, update.arrayFilters, context)) {
        const place = placeAt(root, names, operator.creates);
        if (place) operator.apply(place, { ...applyContext, path: names.join('.') });
      }
    } else {
      const place = placeAt(root, change.names, operator.creates && !isIdle(change, context));
      if (place) operator.apply(place, applyContext);
    }
  }
  for (const r of update.renames) applyRename(root, r);
  return toVal(root);
}

/** $setOnInsert must not create documents on its path unless a document is inserted. */
const isIdle = (c: Change, context: UpdateContext): boolean =>
  !context.inserting && c.operator.insertOnly === true;

function applyRename(root: ObjectTree, r: Rename): void {
  for (const names of [r.from, r.to]) {
    for (let i = 1; i < names.length; i++) {
      const holder = placeAt(root, names.slice(0, i), false)?.get();
      if (holder !== undefined && toVal(holder).type === BsonType.array) {
        throw badValue(
          `The ${names === r.from ? 'source' : 'destination'} field cannot be an array element, '${names.join('.')}' in doc`,
        );
      }
    }
  }
  const from = placeAt(root, r.from, false);
  const value = from?.get();
  if (from === undefined || value === undefined) return;
  from.remove();
  placeAt(root, r.to, true)?.remove();
  placeAt(root, r.to, true)!.set(value);
}

function checkIdKept(before: BsonValue, after: BsonValue, kind: 'operators' | 'pipeline'): void {
  const a = new ObjectTree(before).fields.get('_id');
  if (a === undefined) return;
  const b = new ObjectTree(after).fields.get('_id');
  if (b !== undefined && equal(toVal(a), toVal(b))) return;
  if (kind === 'operators') {
    throw new MongoError(66, "Performing an update on the path '_id' would modify the immutable field '_id'");
  }
  throw new MongoError(
    66,
    "After applying the update, the (immutable) field '_id' was found to have been altered",
  );
}
