import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { invalidQuery, tooManySearches } from '../receipt/errors';
import { failedCheck } from '../shared/checks';
import { unknownCursor } from '../shared/paging';

/** The maximum number of rows in a response. */
export const receiptRowsMax = 1_000;

/** What a table of receipts says about a receipt in one word. */
export const receiptMarks = ['voided', 'return', 'duplicate', 'incomplete'] as const;

const receiptRow = z.object({
  id: z.string(),
  transaction_id: z.string(),
  localtime: z.string(),
  store_reference: z.string(),
  store_name: z.string().nullable(),
  till_uuid: z.string().nullable(),
  identifier: z.string().nullable(),
  currency: z.string(),
  total: z.number(),
  items: z.int(),
  first_item: z.string().nullable(),
  payment_methods: z.array(z.string()),
  marks: z.array(z.enum(receiptMarks)),
  /** The checks that the receipt fails. */
  checks: z.array(failedCheck),
  /** The types of the relations to other receipts. */
  relations: z.array(z.string()),
  /** The position of the row in the order of the list; a value for `beyond`. */
  position: z.string(),
});
export type ReceiptRow = z.output<typeof receiptRow>;

const clause = z.object({
  occur: z.enum(['must', 'should', 'must_not']),
  text: z.string(),
});

/** For the portal's table of receipts, which shows a few facts of each of many receipts. */
export const listReceiptRows = defineQuery({
  name: 'receipt-store.list-receipt-rows',
  summary: 'List receipts as rows of a table',
  description:
    'Internal. Returns receipts that match all queries, newest first, by the time of sale or by the order of arrival.',
  forStores: 'confined',
  body: z.object({
    /** Queries in the search language, each of which a receipt must match; may be empty. */
    queries: z.array(z.string().max(4096)).max(20),
    sort: z.enum(['sold', 'arrived']),
    /** The position of a row. The page contains the rows next to it. */
    beyond: z.string().max(64).optional(),
    direction: z.enum(['older', 'newer']).default('older'),
    count: z.int().min(1).max(receiptRowsMax),
  }),
  output: z.object({
    rows: z.array(receiptRow),
    /** True if there are more rows in the direction of the page, or may be because the time limit ended it. */
    has_more: z.boolean(),
    /** False if the time limit of a search ended the list. */
    is_complete: z.boolean(),
    /** The number of receipts that match; absent if there are no queries, or counting took too long. */
    hits: z.int().optional(),
    /** The conditions of each query. */
    clauses: z.array(z.array(clause)),
  }),
  errors: [invalidQuery, tooManySearches, unknownCursor],
});
