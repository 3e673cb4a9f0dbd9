import { bindValue } from './bind-value';
import type { Condition, Conditions, Member, Occur } from './condition-tree';
import type { Field, FieldCatalogue } from './fields';
import { invalidQuery } from './invalid-query';
import type { GroupClause, Query } from './syntax';

export interface BindOptions {
  /** The operator between clauses that have no explicit operator. Default: `or`. */
  readonly operator?: DefaultOperator;
  /** True if the caller is restricted to consumers. Fields with `refusedWithConsumer` are then not allowed. */
  readonly hasConsumer?: boolean;
}

export type DefaultOperator = 'or' | 'and';

/**
 * Binds a query: resolves its paths to fields, types its values and determines the role of every clause. The resulting
 * tree is compiled, evaluated and explained.
 * @throws ServiceError 400 `invalid_query`.
 */
export function bindQuery(query: Query, fields: FieldCatalogue, options: BindOptions = {}): Conditions {
  const operator = options.operator ?? 'or';
  const occurs = occursOf(query.clauses, operator);
  const members = query.clauses.map((clause, i): Member => {
    const field = fieldOf(clause.path, fields, options);
    return { occur: occurs[i]!, at: clause.at, node: bindNode(query, field, clause, operator) };
  });
  return { kind: 'group', members };
}

function fieldOf(path: string, fields: FieldCatalogue, options: BindOptions): Field {
  const field = fields.get(path);
  if (!field) throw invalidQuery(`${path} is not a valid field`);
  if (options.hasConsumer && field.refusedWithConsumer !== undefined) {
    throw invalidQuery(`${field.refusedWithConsumer} can not be used together with consumer`);
  }
  return field;
}

function bindNode(
  query: Query,
  field: Field,
  { value }: GroupClause,
  operator: DefaultOperator,
): Condition | Conditions {
  if (value.kind !== 'group') return { kind: 'condition', field, test: bindValue(query.text, field, value) };
  const occurs = occursOf(value.clauses, operator);
  const members = value.clauses.map((clause, i): Member => ({
    occur: occurs[i]!,
    at: clause.at,
    node: bindNode(query, field, clause, operator),
  }));
  return { kind: 'group', members };
}

/**
 * The rules of Lucene's classic query parser: operators apply from left to right without precedence. AND makes both
 * neighbours required. OR makes both neighbours optional if the default operator is AND, and has no effect otherwise.
 * Neither changes a negated clause.
 */
function occursOf(clauses: readonly GroupClause[], operator: DefaultOperator): Occur[] {
  const occurs: Occur[] = [];
  for (const { conjunction, modifier } of clauses) {
    const previous = occurs.length - 1;
    const loosened = operator === 'and' && conjunction === 'or';
    if (occurs[previous] !== 'must_not') {
      if (conjunction === 'and') occurs[previous] = 'must';
      else if (loosened) occurs[previous] = 'should';
    }
    if (modifier === 'must_not') occurs.push('must_not');
    else if (loosened) occurs.push('should');
    else if (modifier === 'must' || conjunction === 'and' || operator === 'and') occurs.push('must');
    else occurs.push('should');
  }
  return occurs;
}
