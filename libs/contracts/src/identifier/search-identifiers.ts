import { defineQuery, flag, integer, text } from '@receipts/kernel';
import { z } from 'zod';
import { invalidQuery, tooManySearches } from '../receipt/errors';
import { hitsRelation } from '../shared/hits-relation';
import { identifier, identifierExample } from './identifier';

/** Finds consumers by name or address, for example a customer who has lost the card. */
export const searchIdentifiers = defineQuery({
  name: 'identifier.search-identifiers',
  summary: 'Search identifiers',
  description:
    'The language is that of `GET /receipts/_search`. Texts are found by the beginning of their words, and as a whole under ' +
    '`.exact`. Identifiers that meet more of the plain conditions come first, then those that were created last. ' +
    '`hits` counts all that match; where `hits_relation` is `at_least` counting was cut short and there are more. ' +
    '`time` is in milliseconds.',
  permission: 'view.search_identifier',
  http: { method: 'GET', path: '/identifiers/_search', success: 200 },
  query: z.object({
    query: text({
      max: 4096,
      description: 'The query in the search language: fields separated by spaces.',
    }).meta({ examples: ['properties.name.last:smith +properties.city.exact:London'] }),
    count: integer({ min: 1, max: 20, description: 'The most identifiers of one page.' }).default(20),
    offset: integer({ min: 0, max: 1000, description: 'How many hits to leave out first.' }).default(0),
    pretty: flag().optional(),
  }),
  output: z.object({
    hits: z.int(),
    hits_relation: hitsRelation,
    identifiers: z.array(identifier),
    time: z.int(),
  }),
  errors: [invalidQuery, tooManySearches],
  examples: { response: { hits: 1, hits_relation: 'eq', identifiers: [identifierExample], time: 2 } },
});
