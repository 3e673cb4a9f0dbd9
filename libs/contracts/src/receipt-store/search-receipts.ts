import { defineQuery, flag, integer, text, vector } from '@receipts/kernel';
import { z } from 'zod';
import { returnedReceipt, returnedReceiptExample } from '../receipt';
import { hitsRelation } from '../shared/hits-relation';
import { invalidQuery, tooManySearches } from '../receipt/errors';

/** The position and text of a part of the query. */
const span = z.object({ start: z.int(), end: z.int(), text: z.string() });

const clause = span.extend({
  occur: z.enum(['must', 'should', 'must_not']),
  field: z.string().optional(),
  type: z.string().optional(),
  test: z.unknown().optional(),
  get clauses() {
    return z.array(clause).optional();
  },
});

/** Searches receipts by their content. */
export const searchReceipts = defineQuery({
  name: 'receipt-store.search-receipts',
  summary: 'Search receipts',
  description:
    'A query is fields with values, `path:value`, separated by blanks: words, `"phrases"`, ranges `[a TO b]`, `*` for "is there", ' +
    '`+` requires and `-` excludes. Receipts that meet more of the plain conditions come first, then those that arrived last. ' +
    '`hits` counts all that match; where `hits_relation` is `at_least` counting was cut short and there are more. `time` is in milliseconds.',
  permission: 'view.search_receipt',
  http: { method: 'GET', path: '/receipts/_search', success: 200, consumerScoped: true },
  query: z.object({
    query: text({
      max: 4096,
      description: 'The query in the search language: fields separated by spaces.',
    }).meta({
      examples: ['items.name:coffee +total:[10 TO *]'],
    }),
    consumer: vector({ max: 5, description: 'Identifiers of the consumer.' }).optional(),
    count: integer({ min: 1, max: 20, description: 'The most receipts of one page.' }).default(20),
    offset: integer({ min: 0, max: 1000, description: 'How many hits to leave out first.' }).default(0),
    explain: flag('Whether to tell how the query was understood and why each receipt was found.').optional(),
    pretty: flag().optional(),
  }),
  output: z.object({
    hits: z.int(),
    hits_relation: hitsRelation,
    receipts: z.array(returnedReceipt),
    time: z.int(),
    explain: z
      .object({
        query: z.object({ operator: z.enum(['or', 'and']), clauses: z.array(clause) }),
        hits: z.array(z.object({ id: z.string(), matched: z.array(span) })),
      })
      .optional(),
  }),
  errors: [invalidQuery, tooManySearches],
  examples: { response: { hits: 1, hits_relation: 'eq', receipts: [returnedReceiptExample], time: 3 } },
});
