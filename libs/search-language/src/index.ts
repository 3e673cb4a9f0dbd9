export type { BindOptions, DefaultOperator } from './bind-query';
export {
  bothOf,
  compile,
  type CompiledQuery,
  type CompileOptions,
  type Expansions,
  type FindWords,
} from './compile';
export type { Filter, Tally } from './condition-filter';
export { withinEdits } from './edit-distance';
export { evaluate, type EvaluateOptions, type Evaluation } from './evaluate';
export { explainHit, explainQuery, type ExplainedClause, type ExplainedSpan } from './explain';
export type { DynamicFieldType, Field, FieldCatalogue, FieldType, SearchableRecord } from './fields';
export { identifierFields } from './identifier-fields';
export { parseQuery } from './parse-query';
export { rankingTiers, type Ranking, type Score } from './ranking';
export { keyOfStoreId, receiptFields, type DynamicFields } from './receipt-fields';
export {
  searchDocument,
  searchDocumentInSteps,
  searchedItemCost,
  searchIndexes,
  singleValueIndexes,
  type SearchDocument,
} from './search-document';
export type { Query, Span } from './syntax';
export { isWord, transactionIdCode, wordOf } from './vocabulary';
export { wordsOf } from './text';
