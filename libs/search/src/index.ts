export { checkTimeLimit, limitsOf, Turns } from './time-limit';
export { Attempts, SearchTimeout } from './attempts';
export { SearchLimiter } from './search-limiter';
export {
  RankedSearch,
  type Columns,
  type Found,
  type HitsRelation,
  type Scope,
  type SearchPage,
} from './ranked-search';
export { Vocabulary, vocabularyCollection, type VocabularyDocument } from './vocabulary';
