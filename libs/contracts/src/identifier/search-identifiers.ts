import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { invalidQuery, tooManySearches } from '../receipt/errors';
import { queryParameter, searchFigures, searchPage } from '../shared/search';
import { identifier, identifierExample } from './identifier';

/** Finds consumers by name or address, for example a customer who has lost the card. */
export const searchIdentifiers = defineQuery({
  name: 'identifier.search-identifiers',
  summary: 'Search identifiers',
  description:
    'Searches consumers, in the same language as `GET /receipts/_search`. Texts match by the beginnings of their words, or as a whole under ' +
    '`.exact`. Identifiers that meet more of the optional conditions come first, then those that were created last.',
  permission: 'view.search_identifier',
  http: { method: 'GET', path: '/identifiers/_search', success: 200 },
  query: z.object({
    query: queryParameter('properties.name.last:smith +properties.city.exact:London'),
    ...searchPage,
  }),
  output: z.object({
    ...searchFigures,
    identifiers: z.array(identifier).describe('The found identifiers of this page, best first.'),
  }),
  errors: [invalidQuery, tooManySearches],
  examples: { response: { hits: 1, hits_relation: 'eq', identifiers: [identifierExample], time: 2 } },
});
