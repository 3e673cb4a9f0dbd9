import { MongoError, badValue } from '../errors';
import { isNumber, numberOf } from '../bson/number';
import { print } from '../bson/print';
import { BsonType } from '../bson/types';
import { DocumentWriter, arrayOf } from '../bson/write';
import { FieldReader, documentOf, elementsOf, fieldsOf, firstFieldName, type BsonValue } from '../bson/value';
import { compileTest } from './match';
import { isTruthy, parseFilter } from './parse';

/** Projects a document to the requested fields. */
export type Projection = (doc: BsonValue) => BsonValue;

/** The treatment of a field: keep it, drop it, project its subfields, or reduce its array. */
type Step =
  | { readonly kind: 'keep' }
  | { readonly kind: 'drop' }
  | { readonly kind: 'into'; readonly steps: Map<string, Step> }
  | { readonly kind: 'array'; readonly cut: (array: BsonValue) => BsonValue | undefined };

const keepStep: Step = { kind: 'keep' };
const dropStep: Step = { kind: 'drop' };

/** Parses the projection of find or findAndModify. Undefined without one. */
export function parseProjection(spec: BsonValue | undefined): Projection | undefined {
  if (spec === undefined || spec.type === BsonType.null) return undefined;
  if (spec.type !== BsonType.object)
    throw new MongoError(14, `Expected projection to be an object, got ${print(spec)}`);
  const fields = fieldsOf(spec);
  if (fields.length === 0) return undefined;
  const root = new Map<string, Step>();
  let inclusive: boolean | undefined;
  let idWanted: boolean | undefined;
  for (const [path, v] of fields) {
    const step = stepOf(path, v);
    if (path === '_id' && step.kind !== 'array') {
      idWanted = step.kind === 'keep';
      continue;
    }
    const includes = step.kind === 'keep' || (step.kind === 'array' && isElemMatch(v));
    if (step.kind !== 'array' || includes) {
      if (inclusive !== undefined && inclusive !== includes) {
        throw new MongoError(
          includes ? 31253 : 31254,
          `Cannot do ${includes ? 'inclusion' : 'exclusion'} on field ${path} in ${includes ? 'exclusion' : 'inclusion'} projection`,
        );
      }
      inclusive = includes;
    }
    insert(root, path.split('.'), step, path);
  }
  const onlyId = root.size === 0;
  const keepsOthers = inclusive === undefined ? !(onlyId && idWanted === true) : !inclusive;
  if (idWanted !== undefined) root.set('_id', idWanted ? keepStep : dropStep);
  else if (!keepsOthers) root.set('_id', keepStep);
  return (doc) => project(doc, root, keepsOthers);
}

const isElemMatch = (v: BsonValue): boolean =>
  v.type === BsonType.object && firstFieldName(v) === '$elemMatch';

function stepOf(path: string, v: BsonValue): Step {
  if (path === '') throw new MongoError(40352, 'FieldPath cannot be constructed with empty string');
  if (path.startsWith('$')) {
    throw new MongoError(
      16410,
      `FieldPath field names may not start with '$'. Consider using $getField or $setField.`,
    );
  }
  if (path.endsWith('.$') || path.includes('.$.')) {
    throw new MongoError(
      31276,
      `As of 4.4, it's illegal to specify positional operator in the middle of a path; this server takes none: ${path}`,
    );
  }
  if (path.split('.').includes(''))
    throw new MongoError(15998, 'FieldPath field names may not be empty strings.');
  if (v.type === BsonType.object) return operatorStep(path, v);
  if (v.type === BsonType.bool || isNumber(v)) return isTruthy(v) ? keepStep : dropStep;
  throw new MongoError(31252, `this server takes no computed fields in a projection: ${path}: ${print(v)}`);
}

function operatorStep(path: string, v: BsonValue): Step {
  const [name, argument] = fieldsOf(v)[0] ?? ['', undefined];
  if (name === '$slice' && argument !== undefined) return { kind: 'array', cut: sliceOf(argument) };
  if (name === '$elemMatch' && argument !== undefined) {
    if (path.includes('.'))
      throw new MongoError(31275, 'Cannot use $elemMatch projection on a nested field.');
    return { kind: 'array', cut: elemMatchOf(v) };
  }
  if (name.startsWith('$')) throw new MongoError(31325, `Unknown expression ${name}`);
  throw new MongoError(31252, `this server takes no computed fields in a projection: ${path}: ${print(v)}`);
}

function sliceOf(argument: BsonValue): (array: BsonValue) => BsonValue {
  const parts = (argument.type === BsonType.array ? elementsOf(argument) : [argument]).map((p) => {
    const n = isNumber(p) ? Math.trunc(numberOf(p)) : NaN;
    if (Number.isNaN(n))
      throw new MongoError(
        28667,
        `Invalid $slice syntax. The given syntax ${print(argument)} did not match the find() syntax`,
      );
    return n;
  });
  if (parts.length < 1 || parts.length > 2 || (parts.length === 2 && parts[1]! <= 0)) {
    throw new MongoError(
      28724,
      `First argument to $slice must be an array, but is of type: ${print(argument)}`,
    );
  }
  const [first, count] = parts as [number, number | undefined];
  return (array) => {
    const items = elementsOf(array);
    if (count === undefined) return arrayOf(first >= 0 ? items.slice(0, first) : items.slice(first));
    const start = first >= 0 ? first : Math.max(0, items.length + first);
    return arrayOf(items.slice(start, start + count));
  };
}

/** $elemMatch keeps the first matching element. Without a match the field is omitted. */
function elemMatchOf(v: BsonValue): (array: BsonValue) => BsonValue | undefined {
  const filter = parseFilter(documentOf(new DocumentWriter().value('e', v).finish()));
  if (filter.kind !== 'field') throw badValue('$elemMatch needs an Object');
  const test = compileTest(filter.test);
  return (array) => {
    const found = elementsOf(array).find((e) => test(arrayOf([e])));
    return found && arrayOf([found]);
  };
}

function insert(into: Map<string, Step>, names: readonly string[], step: Step, path: string): void {
  const [name, ...rest] = names as [string, ...string[]];
  const known = into.get(name);
  if (rest.length === 0) {
    if (known !== undefined) throw collision(path);
    into.set(name, step);
    return;
  }
  if (known !== undefined && known.kind !== 'into') throw collision(path);
  const steps = known?.steps ?? new Map<string, Step>();
  into.set(name, { kind: 'into', steps });
  insert(steps, rest, step, path);
}

const collision = (path: string): MongoError => new MongoError(31249, `Path collision at ${path}`);

function project(doc: BsonValue, steps: ReadonlyMap<string, Step>, keepsOthers: boolean): BsonValue {
  const w = new DocumentWriter();
  const r = new FieldReader(doc);
  while (r.next()) {
    const { name } = r;
    const step = steps.get(name);
    const v =
      step === undefined ? (keepsOthers ? r.value : undefined) : projected(r.value, step, keepsOthers);
    if (v !== undefined) w.value(name, v);
  }
  return documentOf(w.finish());
}

function projected(v: BsonValue, step: Step, keepsOthers: boolean): BsonValue | undefined {
  switch (step.kind) {
    case 'keep':
      return v;
    case 'drop':
      return undefined;
    case 'array':
      return v.type === BsonType.array ? step.cut(v) : keepsOthers ? v : undefined;
    case 'into':
      if (v.type === BsonType.object) return project(v, step.steps, keepsOthers);
      if (v.type === BsonType.array) return projectElements(v, step.steps, keepsOthers);
      return keepsOthers ? v : undefined;
  }
}

/** Each document in an array is projected. Other elements are kept only by an exclusion projection. */
function projectElements(
  array: BsonValue,
  steps: ReadonlyMap<string, Step>,
  keepsOthers: boolean,
): BsonValue {
  const out: BsonValue[] = [];
  for (const e of elementsOf(array)) {
    if (e.type === BsonType.object) out.push(project(e, steps, keepsOthers));
    else if (e.type === BsonType.array) out.push(projectElements(e, steps, keepsOthers));
    else if (keepsOthers) out.push(e);
  }
  return arrayOf(out);
}
