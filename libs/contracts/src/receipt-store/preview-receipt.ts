import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { returnedReceipt } from '../receipt';
import { failedCheck } from '../shared/checks';
import { postedReceipt } from '../receipt/posted-receipt';

/** For the portal, where authors of mappings see the resulting receipt before it is stored. */
export const previewReceipt = defineQuery({
  name: 'receipt-store.preview-receipt',
  forStores: 'unrelated',
  summary: 'Preview a receipt as it would be stored',
  description:
    'Internal. Does not store anything. Store, time zone, language and currency are filled in as usual.',
  body: z.object({ receipt: postedReceipt }),
  output: z.object({ receipt: returnedReceipt, checks: z.array(failedCheck) }),
});
