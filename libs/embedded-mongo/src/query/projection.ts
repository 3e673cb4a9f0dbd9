import { MongoError, typeMismatch } from '../errors';
import { isNumber } from '../bson/number';
import { print } from '../bson/print';
import { BsonType } from '../bson/types';
import { DocumentWriter, arrayOf, documentOverhead, elementBytes } from '../bson/write';
import { FieldReader, documentOf, elementsOf, fieldsOf, type BsonValue } from '../bson/value';
import { isTruthy } from './parse';

/** Projects a document to the requested fields. */
export type Projection = (doc: BsonValue) => BsonValue;

/** The fields in a projection: whether each is kept, or its nested fields. */
type Steps = Map<string, boolean | Steps>;

/** Parses the projection of find or findAndModify. Undefined if there is none. */
export function parseProjection(spec: BsonValue | undefined): Projection | undefined {
  if (spec === undefined || spec.type === BsonType.null) return undefined;
  if (spec.type !== BsonType.object)
    throw typeMismatch(`Expected projection to be an object, got ${print(spec)}`);
  const fields = fieldsOf(spec);
  if (fields.length === 0) return undefined;
  const root: Steps = new Map();
  let inclusive: boolean | undefined;
  let keepsId: boolean | undefined;
  for (const [path, v] of fields) {
    const keeps = parseStep(path, v);
    if (path === '_id') keepsId = keeps;
    else {
      if (inclusive !== undefined && inclusive !== keeps) throw mixed(path, keeps);
      inclusive = keeps;
      insert(root, path.split('.'), keeps, path);
    }
  }
  const keepsOthers = inclusive === undefined ? keepsId !== true : !inclusive;
  if (keepsId !== undefined) root.set('_id', keepsId);
  else if (!keepsOthers) root.set('_id', true);
  return (doc) => project(doc, root, keepsOthers);
}

function mixed(path: string, keeps: boolean): MongoError {
  const [verb, kind] = keeps ? ['inclusion', 'exclusion'] : ['exclusion', 'inclusion'];
  return new MongoError(keeps ? 31253 : 31254, `Cannot do ${verb} on field ${path} in ${kind} projection`);
}

/** Whether a field is kept. Throws for operators and computed fields. */
function parseStep(path: string, v: BsonValue): boolean {
  if (path === '') throw new MongoError(40352, 'FieldPath cannot be constructed with empty string');
  const names = path.split('.');
  if (names.includes('')) throw new MongoError(15998, 'FieldPath field names may not be empty strings.');
  if (names.some((name) => name.startsWith('$')))
    throw new MongoError(16410, `FieldPath field names may not start with '$': ${path}`);
  if (v.type === BsonType.bool || isNumber(v)) return isTruthy(v);
  const operator = v.type === BsonType.object ? fieldsOf(v)[0]?.[0] : undefined;
  if (operator?.startsWith('$')) throw new MongoError(31325, `Unknown expression ${operator}`);
  throw new MongoError(
    31252,
    `this server does not support computed fields in a projection: ${path}: ${print(v)}`,
  );
}

function insert(into: Steps, names: readonly string[], keeps: boolean, path: string): void {
  const [name, ...rest] = names as [string, ...string[]];
  const known = into.get(name);
  if (typeof known === 'boolean' || (known !== undefined && rest.length === 0))
    throw new MongoError(31249, `Path collision at ${path}`);
  if (rest.length === 0) {
    into.set(name, keeps);
    return;
  }
  const steps: Steps = known ?? new Map();
  into.set(name, steps);
  insert(steps, rest, keeps, path);
}

function project(doc: BsonValue, steps: Steps, keepsOthers: boolean): BsonValue {
  const kept: [string, BsonValue][] = [];
  let bytes = 0;
  const r = new FieldReader(doc);
  while (r.next()) {
    const { name } = r;
    const step = steps.get(name) ?? keepsOthers;
    const v = typeof step === 'boolean' ? (step ? r.value : undefined) : within(r.value, step, keepsOthers);
    if (v === undefined) continue;
    kept.push([name, v]);
    bytes += elementBytes(name, v);
  }
  // Allocates the final size, because growing a writer copies its contents.
  const w = new DocumentWriter(bytes + documentOverhead);
  for (const [name, v] of kept) w.value(name, v);
  return documentOf(w.finish());
}

/** Each document in an array is projected. Other values are kept only by an exclusion projection. */
function within(v: BsonValue, steps: Steps, keepsOthers: boolean): BsonValue | undefined {
  if (v.type === BsonType.object) return project(v, steps, keepsOthers);
  if (v.type !== BsonType.array) return keepsOthers ? v : undefined;
  const kept = elementsOf(v).map((e) => within(e, steps, keepsOthers));
  return arrayOf(kept.filter((e) => e !== undefined));
}
