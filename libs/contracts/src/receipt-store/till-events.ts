import { defineEvent } from '@receipts/kernel';
import { z } from 'zod';

const tillFacts = z.object({
  store_reference: z.string().describe('The reference of the store, as the till sends it.'),
  till_uuid: z.string().nullable().describe('The id of the till; `null` for receipts without one.'),
  last_received: z
    .string()
    .meta({ format: 'date-time', description: 'When the last receipt or raw data arrived.' }),
});

export const tillSilent = defineEvent({
  type: 'till.silent',
  owner: 'receipt-store',
  collection: 'tills',
  summary: 'A till has stopped sending',
  description:
    'Nothing has arrived from the till for as many minutes as the retailer setting `tills.silent_after_minutes` says, counted within the opening hours of its store. Published once for each silence.',
  data: tillFacts,
});

export const tillBack = defineEvent({
  type: 'till.back',
  owner: 'receipt-store',
  collection: 'tills',
  summary: 'A silent till sends again',
  description:
    'The first receipt or raw data after `till.silent` has arrived. Published once for each silence.',
  data: tillFacts,
});
