import { chooseMapping, type Candidate } from './choose-mapping';

const candidate = (id: string, match?: Candidate['match']): Candidate => ({ id, match });

const till = candidate('till', { till_id: ['7'] });
const store = candidate('store', { store_reference: ['42'] });
const source = candidate('source', { source_id: ['journal'] });
const json = candidate('json', { content_type: ['application/json'] });
const anyText = candidate('any-text', { content_type: ['text/*'] });
const rest = candidate('rest', { content_type: ['*'], till_id: ['*'] });
const all = [rest, anyText, json, source, store, till];

const chosen = (metadata: object, contentType: string | null = null, from = all, text = '') =>
  chooseMapping(from, { contentType, bytes: Buffer.from(text), metadata })?.id;

test('prefers the most specific mapping: till, store, source, content type', () => {
  const everything = { till_id: '7', store_reference: '42', source_id: 'Journal' };
  expect(chosen(everything, 'application/json; charset=utf-8')).toBe('till');
  expect(chosen({ ...everything, till_id: '8' }, 'application/json')).toBe('store');
  expect(chosen({ source_id: 'journal', store_reference: '0042' }, 'application/json')).toBe('store');
  expect(chosen({ source_id: 'journal' }, 'application/json')).toBe('source');
  expect(chosen({}, 'Application/JSON')).toBe('json');
  expect(chosen({}, 'text/plain')).toBe('any-text');
  expect(chosen({})).toBe('rest');
});

test('prefers more conditions to fewer', () => {
  const both = candidate('both', { till_id: ['7'], content_type: ['text/plain'] });
  expect(chosen({ till_id: '7' }, 'text/plain', [till, both])).toBe('both');
  expect(chosen({ till_id: '7' }, 'text/xml', [till, both])).toBe('till');
});

test('uses the mapping with the lowest id if several match equally well', () => {
  expect(chosen({}, null, [candidate('b'), candidate('a')])).toBe('a');
});

test('always uses a mapping named by the packet', () => {
  expect(chosen({ mapping: 'json', till_id: '7' })).toBe('json');
  expect(chosen({ mapping: 'nowhere', till_id: '7' })).toBeUndefined();
});

test('treats data without a type as bytes', () => {
  expect(
    chosen({}, null, [anyText, candidate('bytes', { content_type: ['application/octet-stream'] })]),
  ).toBe('bytes');
});

test('finds no mapping if none matches', () => {
  expect(chosen({}, 'text/plain', [till, json])).toBeUndefined();
});

test('distinguishes formats with the same content type by a text in the data', () => {
  const content_type = ['text/plain'];
  const sales = candidate('sales', { content_type, contains: ['Vente :', 'Sales: '] });
  const bon = candidate('bon', { content_type, contains: ['Bon №'] });
  const formats = [sales, bon];
  expect(chosen({}, 'text/plain', formats, 'Shop\nSales: 17')).toBe('sales');
  expect(chosen({}, 'text/plain', formats, 'Bon № 17')).toBe('bon');
  expect(chosen({}, 'text/plain', formats, 'sales: 17')).toBeUndefined();
  expect(chosen({}, 'text/csv', formats, 'Sales: 17')).toBeUndefined();
  expect(chosen({}, 'text/plain', [anyText, ...formats], 'Sales: 17')).toBe('sales');
  expect(chosen({}, 'text/plain', [anyText, ...formats], 'Ticket 17')).toBe('any-text');
});
