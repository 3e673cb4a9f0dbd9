import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { invalidQuery, tooManySearches } from '../receipt/errors';
import { queryParameter, searchFigures, searchPage } from '../shared/search';
import { identifier, identifierExample } from './identifier';

/** Finds consumers by name or address, for example when a customer has lost a card. */
export const searchIdentifiers = defineQuery({
  name: 'identifier.search-identifiers',
  summary: 'Search identifiers',
  description:
    'Searches consumers, in the same query language as `GET /receipts/_search`. A value matches the beginning of any word of a text, or the complete text with `.exact`. Identifiers that match more of the optional conditions come first, then newer identifiers.',
  permission: 'view.search_identifier',
  forConsumers: 'confined',
  http: { method: 'GET', path: '/identifiers/_search', success: 200 },
  query: z.object({
    query: queryParameter('properties.name.last:smith +properties.city.exact:London'),
    ...searchPage,
  }),
  output: z.object({
    ...searchFigures,
    identifiers: z.array(identifier).describe('The matching identifiers on this page, best match first.'),
  }),
  errors: [invalidQuery, tooManySearches],
  examples: { response: { hits: 1, hits_relation: 'eq', identifiers: [identifierExample], time: 2 } },
});
