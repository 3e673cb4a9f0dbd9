import {
  identifierFields,
  receiptFields,
  searchDocument,
  searchDocumentInSteps,
  searchedItemCost,
  wordOf,
} from './index';
import { sortable } from './search-terms';
import { searchElementsMax } from './unusual-terms';

const number = (code: string, value: number) => `${code}<${sortable(value)}`;

test('contains the terms of a receipt', () => {
  const document = searchDocument(receiptFields({ item: { colour: 'exact' } }), {
    transaction_id: 'T-1',
    timestamp: '2024-10-12T23:30:00+00:00',
    identifier: 'jo@example.com',
    total: 35.5,
    store_reference: '42',
    discounts: [],
    payments: [{ method: 'card', amount: 35.5, number: '1234' }],
    properties: {},
    items: [
      {
        name: 'Red shirt',
        'name:de_AT': 'Rotes Hemd',
        quantity: 2,
        total: 30,
        unit: 'pcs',
        properties: { product_code: 'RS-1' },
        dynamic: { colour: 'Red' },
      },
      { name: 'Socks *', quantity: 0.5, total: 5.5, discounts: [{ name: 'Sale', quantity: 1, amount: -1 }] },
      { name: 'Socks *', quantity: 0.5, total: 5.5, return: { localtime: '2024-10-12', reason: '' } },
    ],
  });
  expect(document).toEqual({
    terms: [
      'tr:t',
      'tr:1',
      'id:jo',
      'id:example',
      'id:com',
      number('il', 3),
      'pn=1234',
      'pm=card',
      'in:red',
      'in:shirt',
      'in:rotes',
      'in:hemd',
      'iu=pcs',
      number('it', 30),
      'ip?',
      'io=RS-1',
      'iy?',
      'i.colour=Red',
      'in:socks',
      'in#*',
      number('it', 5.5),
      'ii?',
      'ie:sale',
      number('if', 1),
      number('ia', -1),
      'ir?',
      number('ij', Date.UTC(2024, 9, 12)),
      'ik?',
      // No item has the expected quantity 1.
      'iq&',
      `iq>${sortable(2)}`,
      `ix>${sortable(0.5)}`,
      number('ig', 1),
      number('ih', 1),
    ],
    numbers: { ts: Date.UTC(2024, 9, 12, 23, 30), to: 35.5, sr: 42 },
    texts: [
      'tr| t 1 ',
      'tr#-',
      'id| jo example com ',
      'id#@',
      'id#.',
      'in| red shirt ',
      'in| rotes hemd ',
      'in#*',
    ],
  });
});

test('the words among the terms are those that can be misspelt', () => {
  expect(wordOf('in:socks')).toEqual({ code: 'in', word: 'socks' });
  expect(['io=RS-1', 'tr:t', 'in#*', 'iq&'].map(wordOf)).toEqual(Array(4).fill(undefined));
});

test('an identifier', () => {
  const { terms } = searchDocument(identifierFields, {
    identifier: '1001',
    properties: { name: { first: 'Jo' }, address: ['Main St 1', null], birthdate: '1980-05-17', gender: 'x' },
  });
  expect(terms).toEqual([
    'id:1001',
    'nf:jo',
    'nf=Jo',
    'ad:main',
    'ad:st',
    'ad:1',
    'ad=Main St 1',
    'ge=x',
    // The identifier is not an e-mail address.
    number('bd', Date.UTC(1980, 4, 17)),
    'id/.@',
  ]);
});

test('indexes a receipt with a large number of items up to a limit, starting with the receipt itself', () => {
  const items = Array.from({ length: 20_000 }, (_, i) => ({ name: `item${i}`, quantity: 1, total: i }));
  const { terms, numbers } = searchDocument(receiptFields(), { items, transaction_id: 'T1', total: 7 });
  expect(terms.length).toBeGreaterThanOrEqual(searchElementsMax);
  expect(terms.length).toBeLessThan(searchElementsMax + 50);
  expect(terms).toContain('tr:t1');
  expect(numbers).toEqual({ to: 7 });
});

test('splits long text into words up to a limit, and indexes that there is more text', () => {
  const found = (name: (n: number) => string) => {
    const items = Array.from({ length: 5_000 }, (_, n) => ({ name: name(n), quantity: 1, total: 1 }));
    const { terms } = searchDocument(receiptFields(), { transaction_id: 'T1', items });
    expect(terms).toContain('tr:t1');
    const numbers = terms.filter((token) => /^in:n\d+$/.test(token)).length;
    return { numbers, isRestThere: !terms.includes('in;') };
  };
  expect(found((n) => `${'a few letters '.repeat(4)} n${n}`)).toEqual({ numbers: 5_000, isRestThere: true });
  const latin = found((n) => `${'very many letters '.repeat(8)} n${n}`);
  expect(latin.isRestThere).toBe(true);
  expect(latin.numbers).toBeGreaterThan(2_000);
  expect(latin.numbers).toBeLessThan(4_000);
  const unspaced = found((n) => `${'語'.repeat(40)} n${n}`);
  expect(unspaced.isRestThere).toBe(true);
  expect(unspaced.numbers).toBeGreaterThan(100);
  expect(unspaced.numbers).toBeLessThan(200);
});

test('ignores names from the prototype', () => {
  const { terms } = searchDocument(
    receiptFields({ receipt: { constructor: 'exact', __proto__: 'exact' } as never }),
    {
      dynamic: { note: 1 },
    },
  );
  expect(terms).toContain('dy?');
  expect(terms.filter((token) => token.startsWith('r.'))).toEqual([]);
});

test('has no terms for the usual values of a plain receipt', () => {
  const { terms } = searchDocument(receiptFields(), {
    transaction_id: 'a-1',
    identifier: 'jo@example.com',
    discounts: [],
    payments: [{ method: 'cash', amount: 3 }],
    properties: {},
    items: [
      { name: 'Tea', quantity: 1, total: 2, discounts: [], properties: {}, return: null },
      { name: 'Tea', quantity: 1, total: 1, discounts: [], properties: {}, return: null },
    ],
  });
  expect(terms).toEqual([
    'tr:a',
    'tr:1',
    'id:jo',
    'id:example',
    'id:com',
    number('il', 2),
    'pm=cash',
    'in:tea',
    number('it', 2),
    number('it', 1),
  ]);
});

test('uses codes of two letters, which only variants of a field share', () => {
  for (const fields of [receiptFields(), identifierFields]) {
    const owners = new Map<string, string>();
    for (const { code, path } of fields.values()) {
      expect(code).toHaveLength(2);
      const base = path.replace(/\.(exact|decimal)$/, '');
      expect(owners.get(code) ?? base).toBe(base);
      owners.set(code, base);
    }
  }
});

test.each([
  ['with long names without spaces', (n: number) => `${'漢字の長い商品名'.repeat(15)}${n}`],
  ['with long names', (n: number) => `${'very many letters '.repeat(20)} ${n}`],
  ['with short names', (n: number) => `item ${n}`],
])('splits a receipt with a large number of items %s into parts of similar size', (_, name) => {
  const items = Array.from({ length: 5_000 }, (_item, n) => ({ name: name(n), quantity: 1, total: n }));
  const record = { transaction_id: 'T1', items };
  const parts = searchDocumentInSteps(receiptFields(), record);
  const costs: number[] = [];
  let step = parts.next();
  for (; step.done !== true; step = parts.next()) costs.push(step.value);
  expect(step.value).toEqual(searchDocument(receiptFields(), record));
  expect(costs.reduce((sum, cost) => sum + cost)).toBeGreaterThanOrEqual(items.length * searchedItemCost);
  // A part ends with the text that fills it, and no name here costs more than half a part.
  expect(Math.max(...costs)).toBeLessThan(30_000);
  expect(costs.length).toBeGreaterThan(10);
});
