export { checkTimeLimit, limitsOf, Turns } from './time-limit';
export {
  asksForSearch,
  RankedSearch,
  type Found,
  type HitsRelation,
  type Scope,
  type SearchPage,
} from './ranked-search';
export { Vocabulary, vocabularyCollection, type VocabularyDocument } from './vocabulary';
