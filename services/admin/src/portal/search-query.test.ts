import { languageIn } from '../pages/language';
import { searchQuery, type Criteria } from './search-query';

const at = (timezone: string) => ({ retailer: { settings: { timezone } }, language: languageIn('en') });

const query = (
  criteria: Criteria,
  field: 'identifier.exact' | 'properties.email.exact' = 'identifier.exact',
) => searchQuery(criteria, at('Europe/Paris'), field);

it('returns no query for an empty form', () => {
  expect(query({})).toBeUndefined();
  expect(query({ customer: '  ', from: 'soon', to: '2026-02-99' })).toBeUndefined();
});

it('adds a required condition for each field', () => {
  expect(query({ customer: 'jo@demo.example', transaction: 'T-1', store: '0042', item: 'red shirt' })).toBe(
    '+identifier.exact:"jo@demo.example" +transaction_id:"T-1" +store_reference:42 +items.name:"red shirt"',
  );
  expect(query({ customer: 'jo@demo.example' }, 'properties.email.exact')).toBe(
    '+properties.email.exact:"jo@demo.example"',
  );
  expect(query({ store: 'rivoli' })).toBe('+external_store_reference:"rivoli"');
});

it('escapes the entered text', () => {
  expect(query({ customer: 'a" OR total:1 \\' })).toBe('+identifier.exact:"a\\" OR total:1 \\\\"');
});

it.each([
  [{ from: '2026-07-01' }, '+timestamp:[2026-06-30T22:00:00.000Z TO *}'],
  [{ to: '2026-07-01' }, '+timestamp:[* TO 2026-07-01T22:00:00.000Z}'],
  [
    { from: '2026-03-29', to: '2026-03-29' },
    '+timestamp:[2026-03-28T23:00:00.000Z TO 2026-03-29T22:00:00.000Z}',
  ],
])('interprets days in the retailer’s time zone: %j', (criteria, expected) =>
  expect(query(criteria)).toBe(expected),
);

it('uses a query in the search language unchanged', () => {
  expect(query({ query: ' +total:[10 TO 20] ', customer: 'x' })).toBe('+total:[10 TO 20]');
});

it('finds an amount with a point or a comma, and the last digits of a card', () => {
  const of = (criteria: object) => searchQuery(criteria, at('UTC'), 'identifier.exact');
  expect(of({ amount: '12,50', card: '1234' })).toBe('+total:12.50 +payments.number:"1234"');
  expect(of({ amount: '-5' })).toBe('+total:-5');
  expect(() => of({ amount: '5 TO 6' })).toThrow('The amount must be a number, such as 12.34.');
  expect(() => of({ card: '12345' })).toThrow('The card number must be its last four digits.');
});
