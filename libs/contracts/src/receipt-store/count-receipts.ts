import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { invalidQuery, tooManySearches } from '../receipt/errors';
import { searchFigures } from '../shared/search';

/** For the portal, which shows how many receipts the filter of a webhook endpoint would have matched. */
export const countReceipts = defineQuery({
  name: 'receipt-store.count-receipts',
  forStores: 'confined',
  summary: 'Count receipts',
  description: 'Internal. Returns the number of receipts since a time that match a query.',
  body: z.object({
    /** In the search language; empty for all receipts. */
    query: z.string(),
    /** Only receipts with this or a later `timestamp`; ISO 8601. */
    since: z.string(),
  }),
  output: z.object(searchFigures),
  errors: [invalidQuery, tooManySearches],
});
