import { languageIn } from '../../pages/language';
import { readSearchText } from './search-text';

const searcher = {
  retailer: { settings: { timezone: 'Europe/Paris' } },
  language: languageIn('en'),
};
const rivoli = { reference: 7, name: 'Demo Rivoli' };
const read = (text: string) => readSearchText(text, [rivoli], searcher);

it('finds nothing in an empty text', () => {
  expect(read('  ')).toEqual({ queries: [], understood: [] });
  expect(read('""')).toEqual({ queries: [], understood: [] });
});

it.each([['+items.name:umbrella +total:[19 TO 20]'], ['total:*'], ['-voided:* tea'], ['colour:red']])(
  'leaves the search language as it is: %s',
  (text) => {
    expect(read(` ${text} `)).toEqual({ queries: [text], understood: undefined });
  },
);

it('looks for each word in several places', () => {
  const { queries, understood } = read('umbr "red shirt"');
  expect(queries).toEqual([
    'items.name:umbr* OR transaction_id:umbr* OR identifier:"umbr" OR properties.email:"umbr"',
    'items.name:"red shirt" OR transaction_id:"red shirt" OR identifier:"red shirt" OR properties.email:"red shirt"',
  ]);
  expect(understood?.map(({ text, meaning }) => [text, meaning])).toEqual([
    ['umbr', 'item, number or customer'],
    ['red shirt', 'item, number or customer'],
  ]);
});

it('escapes what the search language would read otherwise', () => {
  expect(read('a*b').queries[0]).toContain('items.name:a\\*b*');
  expect(read('P-1/x').queries[0]).toContain('transaction_id:P\\-1\\/x*');
  expect(read('"T:77/9"').queries[0]).toContain('transaction_id:T\\:77\\/9*');
  expect(read('€').queries[0]).toContain('items.name:"€"');
});

it('recognizes amounts, days, cards, customers and stores', () => {
  const query = (text: string) => read(text).queries[0];
  for (const text of ['19,99', '19.99', '€19.99', '19,99€'])
    expect([text, query(text)]).toEqual([text, 'total:19.99 OR items.total:19.99']);
  for (const text of ['2026-03-14', '14.3.2026', '14/03/2026'])
    expect(query(text)).toBe('timestamp:[2026-03-13T23:00:00.000Z TO 2026-03-14T23:00:00.000Z}');
  expect(query('jo@demo.example')).toBe('identifier:"jo@demo.example" OR properties.email:"jo@demo.example"');
  expect(query('4321')).toMatch(/^items\.name:4321\* .* OR payments\.number:"4321"$/);
  expect(query('40123455')).toContain('items.gtin:"40123455"');
  expect(query('rivo')).toMatch(/ OR store_reference:7$/);
  expect(read('rivo').understood?.[0]?.meaning).toBe('item, number, customer or store Demo Rivoli');
});

it('reads no more words than a query can hold', () => {
  expect(read('a '.repeat(100)).queries).toHaveLength(12);
});
