import { flag, integer, text, vector } from '@receipts/kernel';

/** The filters of both versions of the list. Several values of a filter are combined by OR, filters by AND. */
export const receiptFilters = {
  consumer: vector({ max: 5, description: 'Identifiers of the consumer.' }).optional(),
  id: vector({ max: 20, description: 'Ids of receipts.' }).optional(),
  store_id: vector({ max: 5, integers: true, description: 'Ids of stores.' }).optional(),
  store_reference: vector({ max: 5, description: 'References or external references of stores.' }).optional(),
  transaction_id: vector({ max: 20, description: 'Transaction ids of the retailer.' }).optional(),
  count: integer({ min: 1, max: 20, description: 'The most receipts of one page.' }).default(20),
  pretty: flag().optional(),
};

const cursorLengthMax = 64;

export const cursor = (description: string) => text({ max: cursorLengthMax, description }).optional();
