import { cursorCodec } from './cursor';
import { duplicateTransactionId } from './duplicate-transaction-id';
import { listHref } from './receipt-links';
import { visibleAmong } from './visible-receipts';

test('decodes a cursor to its position, but only for its retailer and the receipt at that position', () => {
  const codec = cursorCodec('secret');
  for (const arrival of [0, 1, 255, 2 ** 40]) {
    expect(codec.arrivalOf(codec.encode('acme', { arrival, id: 'a' }))).toBe(arrival);
  }
  const position = { arrival: 17, id: 'a' };
  const given = codec.encode('acme', position);
  expect(codec.matches(given, 'acme', position)).toBe(true);
  expect(codec.matches(given, 'other', position)).toBe(false);
  expect(codec.matches(given, 'acme', { arrival: 17, id: 'b' })).toBe(false);
  expect(cursorCodec('another').matches(given, 'acme', position)).toBe(false);
  const forged = Buffer.from(given, 'base64url');
  forged[5] = 18;
  expect(codec.matches(forged.toString('base64url'), 'acme', { arrival: 18, id: 'a' })).toBe(false);
  for (const text of ['', 'x', '%00', `${given}=`]) expect(codec.arrivalOf(text)).toBeUndefined();
});

test('keeps the filters in links, with unencoded commas between the values of a filter', () => {
  const filters = { consumer: ['a b&c', 'd@e.f'], store_id: ['7'], count: 5, pretty: true };
  expect(listHref(filters)).toBe('/receipts?consumer=a%20b%26c,d%40e.f&store_id=7&count=5&pretty=true');
  expect(listHref({ count: 20 }, ['newer', 'x_-1'])).toBe('/receipts?count=20&newer=x_-1');
});

test('adds four lower-case letters to the id of a duplicate, and the same letters for a retry', () => {
  const id = duplicateTransactionId('t-1', 'seed', 0);
  expect(id).toMatch(/^t-1-duplicate-[a-z]{4}$/);
  expect(duplicateTransactionId('t-1', 'seed', 0)).toBe(id);
  expect(duplicateTransactionId('t-1', 'seed', 1)).not.toBe(id);
});

test('cuts a long number before the suffix of a duplicate', () => {
  for (const letter of ['x', '\u{1f9fe}']) {
    const id = duplicateTransactionId(letter.repeat(255), 'seed', 0);
    expect([...id]).toHaveLength(255);
    expect(id).toMatch(new RegExp(`^(${letter}){240}-duplicate-[a-z]{4}$`, 'u'));
  }
});

test.each([
  [undefined, undefined, undefined],
  [['a'], undefined, ['a']],
  [undefined, ['b'], ['b']],
  [['a', 'b'], ['b', 'c'], ['b']],
  [['a'], ['b'], []],
])('shows a caller restricted to %j who requests %j: %j', (confined, asked, expected) => {
  expect(visibleAmong(confined, asked)).toEqual(expected);
});
