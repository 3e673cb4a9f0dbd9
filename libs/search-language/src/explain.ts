import { bindQuery, type BindOptions } from './bind-query';
import type { Member, Occur, Test } from './condition-tree';
import { evaluate, type EvaluateOptions } from './evaluate';
import type { FieldCatalogue, FieldType, SearchableRecord } from './fields';
import type { Query, Span } from './syntax';

/** The position and text of a clause in the query. */
export interface ExplainedSpan {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface ExplainedClause extends ExplainedSpan {
  readonly occur: Occur;
  readonly field?: string;
  readonly type?: FieldType;
  readonly test?: Test;
  readonly clauses?: readonly ExplainedClause[];
}

/** The tree of a query as JSON, which shows how each part was interpreted. */
export function explainQuery(
  query: Query,
  fields: FieldCatalogue,
  options: BindOptions = {},
): { operator: 'or' | 'and'; clauses: readonly ExplainedClause[] } {
  const { members } = bindQuery(query, fields, options);
  return { operator: options.operator ?? 'or', clauses: members.map((member) => clause(query, member)) };
}

function clause(query: Query, { occur, at, node }: Member): ExplainedClause {
  const facts = { occur, ...span(query, at) };
  if (node.kind === 'group') {
    return { ...facts, clauses: node.members.map((member) => clause(query, member)) };
  }
  return { ...facts, field: node.field.path, type: node.field.type, test: node.test };
}

/** The clauses, and conditions within groups, that match one record. */
export function explainHit(
  query: Query,
  fields: FieldCatalogue,
  record: SearchableRecord,
  options: EvaluateOptions = {},
): readonly ExplainedSpan[] {
  return evaluate(query, fields, record, options).matched.map((at) => span(query, at));
}

const span = (query: Query, { start, end }: Span): ExplainedSpan => ({
  start,
  end,
  text: query.text.slice(start, end),
});
