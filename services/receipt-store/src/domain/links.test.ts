import { cursorCodec } from './cursor';
import { duplicateTransactionId } from './duplicate-transaction-id';
import { listHref } from './receipt-links';
import { visibleConsumers } from './visible-consumers';

test('a cursor leads back to its place, and only for its retailer', () => {
  const codec = cursorCodec('secret');
  for (const seq of [0, 1, 255, 2 ** 40]) expect(codec.decode('acme', codec.encode('acme', seq))).toBe(seq);
  const given = codec.encode('acme', 17);
  expect(codec.decode('other', given)).toBeUndefined();
  expect(cursorCodec('another').decode('acme', given)).toBeUndefined();
  const forged = Buffer.from(given, 'base64url');
  forged[5] = 18;
  expect(codec.decode('acme', forged.toString('base64url'))).toBeUndefined();
  for (const text of ['', 'x', '%00', 'a'.repeat(16), `${given}=`])
    expect(codec.decode('acme', text)).toBeUndefined();
});

test('a link keeps the filters, with commas between the values of one filter and all else encoded', () => {
  const filters = { consumer: ['a b&c', 'd@e.f'], store_id: ['7'], count: 5, pretty: true };
  expect(listHref(filters)).toBe('/receipts?consumer=a%20b%26c,d%40e.f&store_id=7&count=5&pretty=true');
  expect(listHref({ count: 20 }, ['newer', 'x_-1'])).toBe('/receipts?count=20&newer=x_-1');
});

test('a duplicate has four lower-case letters more, the same for the same request', () => {
  const id = duplicateTransactionId('t-1', 'seed', 0);
  expect(id).toMatch(/^t-1-duplicate-[a-z]{4}$/);
  expect(duplicateTransactionId('t-1', 'seed', 0)).toBe(id);
  expect(duplicateTransactionId('t-1', 'seed', 1)).not.toBe(id);
});

test.each([
  [undefined, undefined, undefined],
  [['a'], undefined, ['a']],
  [undefined, ['b'], ['b']],
  [['a', 'b'], ['b', 'c'], ['b']],
  [['a'], ['b'], []],
])('confined to %j, asked for %j: sees %j', (confined, asked, expected) => {
  expect(visibleConsumers(confined, asked)).toEqual(expected);
});
