import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { checkCode, failedCheck } from '../shared/checks';
import { invalidQuery, tooManySearches } from '../receipt/errors';

/** The maximum number of receipts in a response. */
export const failingReceiptsMax = 500;

const failingReceipt = z.object({
  id: z.string(),
  transaction_id: z.string(),
  localtime: z.string(),
  store_reference: z.string(),
  store_name: z.string().nullable(),
  till_uuid: z.string().nullable(),
  currency: z.string(),
  total: z.number(),
  checks: z.array(failedCheck),
});
export type FailingReceipt = z.output<typeof failingReceipt>;

/** For the portal, where staff look for the stores and tills whose receipts do not add up. */
export const listFailingReceipts = defineQuery({
  name: 'receipt-store.list-failing-receipts',
  forStores: 'confined',
  summary: 'List receipts that do not add up',
  description: `Internal. Returns the newest ${failingReceiptsMax} receipts that fail a check and match the query.`,
  body: z.object({
    /** Receipts that fail this check; by default, any. */
    code: checkCode.optional(),
    /** Further conditions in the search language; may be empty. */
    query: z.string(),
  }),
  output: z.object({
    receipts: z.array(failingReceipt),
    /** False if there are more, or may be, because the time limit of a search was reached. */
    is_complete: z.boolean(),
  }),
  errors: [invalidQuery, tooManySearches],
});
