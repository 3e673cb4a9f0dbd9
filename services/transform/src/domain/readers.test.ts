import { readTime } from './iso-time';
import { readMoney } from './money';

test.each([
  ['12.50', 12.5],
  ['12,50', 12.5],
  ['1.234,50', 1234.5],
  ['1,234.50', 1234.5],
  ['1 234,50 €', 1234.5],
  ['1\u00a0234,50', 1234.5],
  ["1'234.50", 1234.5],
  ['1,234', 1234],
  ['0,125', 0.125],
  ['1.234', 1.234],
  ['1.234.567', 1234567],
  ['1,234,567', 1234567],
  ['-3.00', -3],
  ['3.00-', -3],
  ['\u22123.00', -3],
  ['EUR -3.00', -3],
  ['-€3.00', -3],
  ['(3.00)', -3],
  ['3.00 CR', -3],
  ['CHF 0.00-', 0],
  ['.50', 0.5],
  ['Fr. 5.-', 5],
  ['£5', 5],
])('reads %s as %d', (text, amount) => {
  expect(readMoney(text)).toBe(amount);
});

test('accepts a given decimal separator', () => {
  expect(readMoney('1.234', ',')).toBe(1234);
  expect(readMoney('1,234', ',')).toBe(1.234);
});

test('finds no amount if there are no digits', () => {
  expect(readMoney('free')).toBeUndefined();
});

test.each([
  ['31/12/2026 10:11:12', 'DD/MM/YYYY HH:mm:ss', '2026-12-31T10:11:12'],
  ['1.2.26 9:05', 'D.M.YY H:mm', '2026-02-01T09:05:00'],
  ['01/02/99', 'DD/MM/YY', '1999-02-01T00:00:00'],
  ['Mar 3, 2026 1:05 PM', 'MMM D, YYYY h:mm A', '2026-03-03T13:05:00'],
  ['12:00 am 2026-01-01', 'h:mm A YYYY-MM-DD', '2026-01-01T00:00:00'],
  ['3 févr. 2026', 'D MMM YYYY', '2026-02-03T00:00:00'],
  ['3 Dezember 2026', 'D MMMM YYYY', '2026-12-03T00:00:00'],
  ['25.11.2026 18h07', 'DD.MM.YYYY HH[h]mm', '2026-11-25T18:07:00'],
  ['le 3 mars 2026 (9)', '[le] D MMMM YYYY [(]H[)]', '2026-03-03T09:00:00'],
  ['20260102030405', undefined, '2026-01-02T03:04:05'],
  ['2026-01-02T03:04:05Z', undefined, '2026-01-02T03:04:05+00:00'],
  ['2026-01-02 03:04+0100', 'YYYY-MM-DD HH:mmZ', '2026-01-02T03:04:00+01:00'],
])('reads %s as %s: %s', (text, format, time) => {
  expect(readTime(text, format)).toBe(time);
});

test.each([
  ['31/02/2026', 'DD/MM/YYYY'],
  ['01/13/2026', 'DD/MM/YYYY'],
  ['2026-01-01 24:00', 'YYYY-MM-DD HH:mm'],
  ['hello', 'DD/MM/YYYY'],
  ['hello', undefined],
])('rejects %s as %s', (text, format) => {
  expect(readTime(text, format)).toBeUndefined();
});
