import { ServiceError } from '@receipts/kernel';
import { receiptOf, retailerOf } from '../../testing/samples';
import { checkFilter, matchesFilter, isFiltered } from './event-filter';

const { settings } = retailerOf('r');
const facts = { settings, receipt: receiptOf({ total: 12 }), store: null };

it('filters events about receipts, except the deletion', () => {
  expect(['receipt.created', 'receipt.assigned'].every(isFiltered)).toBe(true);
  expect(['receipt.deleted', 'store.created', 'pos_receipt.failed'].some(isFiltered)).toBe(false);
});

it('matches a deleted receipt by the data of the event', () => {
  const event = { data: { id: 'x', total: 12 } };
  expect(matchesFilter('total:12', event, { ...facts, receipt: undefined })).toBe(true);
  expect(matchesFilter('items.name:coffee', event, { ...facts, receipt: undefined })).toBe(false);
  expect(matchesFilter('items.name:coffee', event, facts)).toBe(true);
});

it("uses the retailer's operator between conditions", () => {
  const and = { ...settings, search_default_operator: 'and' as const };
  const query = 'total:12 items.name:umbrella';
  expect(matchesFilter(query, { data: {} }, facts)).toBe(true);
  expect(matchesFilter(query, { data: {} }, { ...facts, settings: and })).toBe(false);
});

it.each(['colour:red', 'total:', 'red', '('])('%s is not a filter', (query) => {
  expect(() => checkFilter(query, settings)).toThrow(ServiceError);
});
