import { MongoError, failedToParse } from '../errors';
import { nullValue, date } from '../bson/make';
import { BsonType } from '../bson/types';
import { arrayOf, objectOf } from '../bson/write';
import { elementsOf, fieldsOf, firstFieldName, getField, stringOf, type BsonValue } from '../bson/value';
import type { Expression, Scope } from './evaluate';
import { operators } from './operators';

const expressionDepthMax = 100;

/** Parses an expression. `variables` are the names allowed after `$$`. */
export function parseExpression(
  v: BsonValue,
  variables: ReadonlySet<string> = new Set(),
  depth = 0,
): Expression {
  if (depth > expressionDepthMax) throw failedToParse('expression is nested too deeply');
  if (v.type === BsonType.string) {
    const text = stringOf(v);
    return text.startsWith('$') ? parseReference(text, variables) : () => v;
  }
  if (v.type === BsonType.array) {
    const parts = elementsOf(v).map((e) => parseExpression(e, variables, depth + 1));
    return (s) => arrayOf(parts.map((p) => p(s) ?? nullValue));
  }
  if (v.type !== BsonType.object) return () => v;
  const name = firstFieldName(v);
  if (name?.startsWith('$') === true) return parseOperator(v, name, variables, depth);
  const fields = fieldsOf(v).map(([n, x]) => [n, parseExpression(x, variables, depth + 1)] as const);
  return (s) => {
    const out: [string, BsonValue][] = [];
    for (const [n, e] of fields) {
      const value = e(s);
      if (value !== undefined) out.push([n, value]);
    }
    return objectOf(out);
  };
}

function parseOperator(
  v: BsonValue,
  name: string,
  variables: ReadonlySet<string>,
  depth: number,
): Expression {
  const fields = fieldsOf(v);
  if (fields.length > 1) {
    throw new MongoError(
      15983,
      `an expression specification must contain exactly one field, the name of the expression. Found ${fields.length} fields`,
    );
  }
  const compile = Object.hasOwn(operators, name) ? operators[name] : undefined;
  if (compile === undefined) throw new MongoError(168, `Unrecognized expression '${name}'`);
  return compile(fields[0]![1], {
    name,
    variables,
    parse: (x, more) =>
      parseExpression(x, more === undefined ? variables : new Set([...variables, ...more]), depth + 1),
  });
}

/** `$a.b` or `$$name.b`. */
function parseReference(text: string, variables: ReadonlySet<string>): Expression {
  if (!text.startsWith('$$')) {
    const names = text.slice(1).split('.');
    checkNames(names, text);
    const path = names.map((n) => Buffer.from(n));
    return (s) => valueAt(s.root, path, 0);
  }
  const [variable, ...rest] = text.slice(2).split('.');
  checkNames([variable!, ...rest], text);
  const path = rest.map((n) => Buffer.from(n));
  const base = variableOf(variable!, variables);
  return (s) => valueAt(base(s), path, 0);
}

function checkNames(names: readonly string[], text: string): void {
  if (names.includes(''))
    throw new MongoError(40353, `FieldPath '${text}' must not end with a '.' or hold an empty name.`);
}

function variableOf(name: string, variables: ReadonlySet<string>): (s: Scope) => BsonValue | undefined {
  if (variables.has(name)) return (s) => s.variables.get(name);
  switch (name) {
    case 'ROOT':
    case 'CURRENT':
      return (s) => s.root;
    case 'REMOVE':
      return () => undefined;
    case 'NOW':
      return (s) => date(s.now);
    default:
      throw new MongoError(17276, `Use of undefined variable: ${name}`);
  }
}

/** A path through an array returns an array of the values found in its documents. */
function valueAt(v: BsonValue | undefined, path: readonly Buffer[], at: number): BsonValue | undefined {
  if (v === undefined || at === path.length) return v;
  if (v.type === BsonType.object) return valueAt(getField(v, path[at]!), path, at + 1);
  if (v.type !== BsonType.array) return undefined;
  const out: BsonValue[] = [];
  for (const e of elementsOf(v)) {
    if (e.type !== BsonType.object && e.type !== BsonType.array) continue;
    const found = valueAt(e, path, at);
    if (found !== undefined) out.push(found);
  }
  return arrayOf(out);
}
