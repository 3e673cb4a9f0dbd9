import { consumerParameter } from '../shared/fields';
import { commaSeparatedList, integer, text } from '../shared/query-parameters';

const receiptId = '6a1f3c2b9d4e5f60718293a4';

/** The filters of both versions of the list. Several values of a filter are combined by OR, filters by AND. */
export const receiptFilters = {
  consumer: consumerParameter,
  id: commaSeparatedList({
    max: 20,
    description: 'Only return the receipts with these ids, separated by commas.',
    example: receiptId,
  }).optional(),
  store_id: commaSeparatedList({
    max: 5,
    integers: true,
    description: 'Only return receipts from the stores with these ids, separated by commas.',
    example: 17,
  }).optional(),
  store_reference: commaSeparatedList({
    max: 5,
    description:
      'Only return receipts from the stores with these references or external references, separated by commas.',
    example: '1',
  }).optional(),
  transaction_id: commaSeparatedList({
    max: 20,
    description: 'Only return the receipts with these transaction ids, separated by commas.',
    example: '2026-03-14/17/4711',
  }).optional(),
  count: integer({ min: 1, max: 20, description: 'The maximum number of receipts per page.' }).default(20),
};

const cursorLengthMax = 64;

export const cursor = (description: string) =>
  text({ max: cursorLengthMax, description, example: receiptId }).optional();
