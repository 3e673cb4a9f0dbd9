import { bindQuery, type BindOptions } from './bind-query';
import type { Member, Occur, Test } from './condition-tree';
import { evaluate, type EvaluateOptions } from './evaluate';
import type { FieldCatalogue, FieldType, SearchableRecord } from './fields';
import type { Query, Span } from './syntax';

/** Where a clause stands in the query, and its text. */
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

/** The tree of a query as JSON: what each part was understood as. */
export function explainQuery(
  query: Query,
  fields: FieldCatalogue,
  options: BindOptions = {},
): { operator: 'or' | 'and'; clauses: readonly ExplainedClause[] } {
  const { members } = bindQuery(query, fields, options);
  return { operator: options.operator ?? 'or', clauses: members.map((member) => clause(query, member)) };
}

function clause(query: Query, { occur, at, node }: Member): ExplainedClause {
  const place = { occur, ...span(query, at) };
  if (node.kind === 'group') {
    return { ...place, clauses: node.members.map((member) => clause(query, member)) };
  }
  return { ...place, field: node.field.path, type: node.field.type, test: node.test };
}

/** Which clauses, and which conditions within groups, hold for one record. */
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
