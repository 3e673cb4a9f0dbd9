import { ServiceError } from '@receipts/kernel';
import { receiptOf, retailerOf } from '../../testing/samples';
import { checkFilter, matchesFilter, isFiltered } from './event-filter';

const { settings } = retailerOf('r');
const facts = { settings, receipt: receiptOf({ total: 12 }), store: null };

it('filters events about receipts, except deletions', () => {
  expect(['receipt.created', 'receipt.assigned'].every(isFiltered)).toBe(true);
  expect(['receipt.deleted', 'store.created', 'pos_receipt.failed'].some(isFiltered)).toBe(false);
});

it('matches a deleted receipt by the data of the event', () => {
  const event = { data: { id: 'x', total: 12 } };
  expect(matchesFilter('total:12', event, { ...facts, receipt: undefined })).toBe(true);
  expect(matchesFilter('items.name:coffee', event, { ...facts, receipt: undefined })).toBe(false);
  expect(matchesFilter('items.name:coffee', event, facts)).toBe(true);
});

it("combines conditions with the retailer's default operator", () => {
  const and = { ...settings, search_default_operator: 'and' as const };
  const query = 'total:12 items.name:umbrella';
  expect(matchesFilter(query, { data: {} }, facts)).toBe(true);
  expect(matchesFilter(query, { data: {} }, { ...facts, settings: and })).toBe(false);
});

it.each([
  ['checks:payments_total', true],
  ['checks:items_total', false],
  ['checks:*', true],
  ['-checks:*', false],
  ['voided:*', true],
  ['voided.timestamp:2026', true],
])('supports failed checks and voids: %s', (query, isMatch) => {
  const voided = { timestamp: '2026-03-14T12:30:00.000+00:00', reason: null, transaction_id: null };
  const receipt = { ...receiptOf({ voided }), checks: [{ code: 'payments_total' as const }] };
  expect(matchesFilter(query, { data: {} }, { ...facts, receipt })).toBe(isMatch);
});

it.each(['colour:red', 'total:', 'red', '('])('rejects the filter %s', (query) => {
  expect(() => checkFilter(query, settings)).toThrow(ServiceError);
});
