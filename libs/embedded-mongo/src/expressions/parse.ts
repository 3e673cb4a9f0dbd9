import { MongoError, failedToParse } from '../errors';
import { NULL, date } from '../bson/make';
import { T } from '../bson/types';
import { arrayOf, objectOf } from '../bson/write';
import { elementsOf, fieldsOf, firstFieldName, getField, stringOf, type Val } from '../bson/value';
import type { Expression, Scope } from './evaluate';
import { OPERATORS } from './operators';

const EXPRESSION_DEPTH_MAX = 100;

/** Parses an expression. `variables` are the names allowed after `$$`. */
export function parseExpression(v: Val, variables: ReadonlySet<string> = new Set(), depth = 0): Expression {
  if (depth > EXPRESSION_DEPTH_MAX) throw failedToParse('expression is nested too deeply');
  if (v.type === T.STRING) {
    const text = stringOf(v);
    return text.startsWith('$') ? parseReference(text, variables) : () => v;
  }
  if (v.type === T.ARRAY) {
    const parts = elementsOf(v).map((e) => parseExpression(e, variables, depth + 1));
    return (s) => arrayOf(parts.map((p) => p(s) ?? NULL));
  }
  if (v.type !== T.OBJECT) return () => v;
  const name = firstFieldName(v);
  if (name?.startsWith('$') === true) return parseOperator(v, name, variables, depth);
  const fields = fieldsOf(v).map(([n, x]) => [n, parseExpression(x, variables, depth + 1)] as const);
  return (s) => {
    const out: [string, Val][] = [];
    for (const [n, e] of fields) {
      const value = e(s);
      if (value !== undefined) out.push([n, value]);
    }
    return objectOf(out);
  };
}

function parseOperator(v: Val, name: string, variables: ReadonlySet<string>, depth: number): Expression {
  const fields = fieldsOf(v);
  if (fields.length > 1) {
    throw new MongoError(
      15983,
      `an expression specification must contain exactly one field, the name of the expression. Found ${fields.length} fields`,
    );
  }
  const compile = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
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

function variableOf(name: string, variables: ReadonlySet<string>): (s: Scope) => Val | undefined {
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
function valueAt(v: Val | undefined, path: readonly Buffer[], at: number): Val | undefined {
  if (v === undefined || at === path.length) return v;
  if (v.type === T.OBJECT) return valueAt(getField(v, path[at]!), path, at + 1);
  if (v.type !== T.ARRAY) return undefined;
  const out: Val[] = [];
  for (const e of elementsOf(v)) {
    if (e.type !== T.OBJECT && e.type !== T.ARRAY) continue;
    const found = valueAt(e, path, at);
    if (found !== undefined) out.push(found);
  }
  return arrayOf(out);
}
