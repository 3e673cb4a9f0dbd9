export { checkTimeLimit, limitsOf, Turns } from './time-limit';
export { Attempts, SearchTimeout } from './attempts';
export { SearchSlots } from './search-slots';
export {
  asksForSearch,
  RankedSearch,
  type Columns,
  type Found,
  type HitsRelation,
  type Scope,
  type SearchPage,
} from './ranked-search';
export { Vocabulary, vocabularyCollection, type VocabularyDocument } from './vocabulary';
