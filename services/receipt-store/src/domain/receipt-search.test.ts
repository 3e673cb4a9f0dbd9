import { postedReceipt, retailerOf } from '../testing/samples';
import { buildReceipt } from './build-receipt';
import { searchFieldsOf, searchOf } from './receipt-search';

const retailer = retailerOf('demo');
const context = {
  id: '0'.repeat(24),
  transactionId: 't',
  retailer,
  store: undefined,
  posDataIds: [],
  attachments: {},
};

test('builds the fields of a retailer once per version of its settings', () => {
  expect(searchFieldsOf(retailer)).toBe(searchFieldsOf({ ...retailer }));
  const changed = retailerOf('demo', { dynamic_fields: { receipt: { season: 'exact' }, item: {} } });
  expect(searchFieldsOf(changed).has('dynamic.season')).toBe(true);
  expect(searchFieldsOf(retailer).has('dynamic.season')).toBe(false);
});

test('keeps the search terms of a receipt within the size limit of their document', () => {
  // This character decomposes into eighteen characters.
  const name = `${'\u{fdfa}'.repeat(200)} `.repeat(15);
  const items = Array.from({ length: 200 }, (_, i) => ({ name: `${name}${i}`, quantity: 1, total: i }));
  const receipt = buildReceipt(postedReceipt({ items }), context);
  const { terms, texts } = searchOf(retailer, receipt, undefined, JSON.stringify(receipt).length);
  const bytes = [...terms, ...texts].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  expect(bytes).toBeLessThanOrEqual(6 * 1024 * 1024);
  expect(bytes).toBeGreaterThan(5 * 1024 * 1024);
});
