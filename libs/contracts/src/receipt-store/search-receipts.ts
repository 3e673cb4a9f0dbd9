import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { returnedReceipt, returnedReceiptExample } from '../receipt';
import { consumerParameter } from '../shared/fields';
import { flag } from '../shared/query-parameters';
import { queryParameter, searchFigures, searchPage } from '../shared/search';
import { invalidQuery, tooManySearches } from '../receipt/errors';

/** The position and text of a part of the query. */
const span = z.object({
  start: z.int().describe('The position of the first character of the part in the query, from 0.'),
  end: z.int().describe('The position after the last character of the part in the query.'),
  text: z.string().describe('The text of this part of the query.'),
});

const clause = span.extend({
  occur: z
    .enum(['must', 'should', 'must_not'])
    .describe('Whether the condition is required (`must`), optional (`should`) or excluded (`must_not`).'),
  field: z.string().optional().describe('The name of the field.'),
  type: z.string().optional().describe('The type of the field.'),
  test: z.unknown().optional().describe('The value, range or pattern with which the field is compared.'),
  get clauses() {
    return z.array(clause).optional().describe('The conditions of a group in brackets.');
  },
});

/** Searches receipts by their content. */
export const searchReceipts = defineQuery({
  name: 'receipt-store.search-receipts',
  summary: 'Search receipts',
  description:
    'Searches receipts by their content. A query consists of conditions `field:value`, separated by spaces. A value is a word, a `"phrase"`, a range `[a TO b]`, ' +
    'or `*` for any value; `+` requires a condition and `-` excludes it. [Searching](docs/search) lists the fields and operators. ' +
    'Receipts that match more of the optional conditions come first, then newer receipts.',
  permission: 'view.search_receipt',
  forStores: 'confined',
  forConsumers: 'confined',
  http: { method: 'GET', path: '/receipts/_search', success: 200, consumerScoped: true },
  query: z.object({
    query: queryParameter('items.name:coffee +total:[10 TO *]'),
    consumer: consumerParameter,
    ...searchPage,
    explain: flag('Whether to explain how the query was parsed and why each receipt was found.').optional(),
  }),
  output: z.object({
    ...searchFigures,
    receipts: z.array(returnedReceipt).describe('The matching receipts on this page, best match first.'),
    explain: z
      .object({
        query: z
          .object({
            operator: z.enum(['or', 'and']).describe('How conditions without `+` or `-` are combined.'),
            clauses: z.array(clause).describe('The conditions of the query.'),
          })
          .describe('The parsed query.'),
        hits: z
          .array(
            z.object({
              id: z.string().describe('The id of the receipt.'),
              matched: z.array(span).describe('The parts of the query that the receipt matches.'),
            }),
          )
          .describe('Why each receipt on this page was found.'),
      })
      .optional()
      .describe('How the query was parsed and why receipts were found. Present with `explain=true`.'),
  }),
  errors: [invalidQuery, tooManySearches],
  examples: { response: { hits: 1, hits_relation: 'eq', receipts: [returnedReceiptExample], time: 3 } },
});
