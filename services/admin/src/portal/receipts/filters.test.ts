import { languageIn } from '../../pages/language';
import { filterQueries, type Filters } from './filters';

const queries = (filters: Filters, timezone = 'Europe/Paris') =>
  filterQueries(filters, { retailer: { settings: { timezone } }, language: languageIn('en') });

it('returns no query for an empty form', () => {
  expect(queries({})).toEqual([]);
  expect(queries({ store: ' ', from: 'soon', to: '2026-02-99', mark: 'any', least: ' ' })).toEqual([]);
});

it('adds a query for each filter', () => {
  expect(queries({ store: '0042', mark: 'voided', least: '10', most: '12,50' })).toEqual([
    'store_reference:42',
    'total:[10 TO 12.50]',
    'voided:*',
  ]);
  expect(queries({ store: 'rivo"li' })).toEqual(['external_store_reference:"rivo\\"li"']);
  expect(queries({ least: '-5' })).toEqual(['total:[-5 TO *]']);
});

it.each([
  [{ from: '2026-07-01' }, 'timestamp:[2026-06-30T22:00:00.000Z TO *}'],
  [{ to: '2026-07-01' }, 'timestamp:[* TO 2026-07-01T22:00:00.000Z}'],
  [
    { from: '2026-03-29', to: '2026-03-29' },
    'timestamp:[2026-03-28T23:00:00.000Z TO 2026-03-29T22:00:00.000Z}',
  ],
])('interprets days in the retailer’s time zone: %j', (filters, expected) =>
  expect(queries(filters)).toEqual([expected]),
);

it('rejects an amount that is not a number', () => {
  expect(() => queries({ least: '5 TO 6' })).toThrow('The amount must be a number, such as 12.34.');
});
