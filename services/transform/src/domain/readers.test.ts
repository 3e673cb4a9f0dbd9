import { localTimeOf, readTime } from './iso-time';
import { readMoney } from './money';

test.each([
  ['12.50', 12.5],
  ['12,50', 12.5],
  ['1.234,50', 1234.5],
  ['1,234.50', 1234.5],
  ['1 234,50 €', 1234.5],
  ['1\u00a0234,50', 1234.5],
  ['1\u202f234,50', 1234.5],
  ["1'234.50", 1234.5],
  ['1’234.50', 1234.5],
  ['1,234', 1234],
  ['0,125', 0.125],
  ['1.234', 1.234],
  ['1.234.567', 1234567],
  ['1,234,567', 1234567],
  ['1,23,456.50', 123456.5],
  ['-3.00', -3],
  ['3.00-', -3],
  ['3,00 -', -3],
  ['3,00 €-', -3],
  ['3,00- EUR', -3],
  ['3,00-A', -3],
  ['−3.00', -3],
  ['–3.00', -3],
  ['3.00–', -3],
  ['EUR -3.00', -3],
  ['EUR-3.00', -3],
  ['-€3.00', -3],
  ['- Rs. 250', -250],
  ['(3.00)', -3],
  ['(€3.00)', -3],
  ['3.00 CR', -3],
  ['3.00CR', -3],
  ['CR 3.00', -3],
  ['CHF 0.00-', 0],
  ['+4.00', 4],
  ['.50', 0.5],
  ['€ ,50', 0.5],
  ['Fr. 5.-', 5],
  ['Fr.5', 5],
  ['12.-', 12],
  ['12,–', 12],
  ['12,-- €', 12],
  ['-12.-', -12],
  ['12.50-', -12.5],
  ['¥12,080-', 12080],
  ['￥１２，０８０－', 12080],
  ['¥-500', -500],
  ['¥12.50-', -12.5],
  ['£5', 5],
  ['Rs. 250', 250],
  ['Rs.250.50', 250.5],
  ['250 kr.', 250],
  ['kr. 1.250,00', 1250],
  ['R$ 12,50', 12.5],
  ['US$12.50', 12.5],
  ['12,50 zł', 12.5],
  ['EC-Karte 12,50', 12.5],
  ['12,50 EC-Karte', 12.5],
  ['TOTAL (EUR) 12,50', 12.5],
  ['١٢٫٥٠', 12.5],
  ['١٬٢٣٤٫٥٠', 1234.5],
  ['۱۲٫۵', 12.5],
  ['＄１２．５０', 12.5],
])('reads %s as %d', (text, amount) => {
  expect(readMoney(text)).toBe(amount);
});

test.each([
  'free',
  '2 x 1,50',
  '29.11.26',
  '12,5012,50',
  '12:50',
  '1.234,567.89',
  '12.345.67',
  '2 1,50',
  '1e5',
  '12⁵⁰',
  '½',
  '(12.50',
  '- Rabatt 12,50',
  '+12.50-',
  '12345678901234567.89',
])('refuses %s', (text) => {
  expect(readMoney(text)).toBeUndefined();
});

test('accepts a given decimal separator', () => {
  expect(readMoney('1.234', ',')).toBe(1234);
  expect(readMoney('1,234', ',')).toBe(1.234);
  expect(readMoney('1,250.00', ',')).toBeUndefined();
  expect(readMoney('1,250,5', ',')).toBeUndefined();
});

test.each([
  ['31/12/2026 10:11:12', 'DD/MM/YYYY HH:mm:ss', '2026-12-31T10:11:12'],
  ['1.2.26 9:05', 'D.M.YY H:mm', '2026-02-01T09:05:00'],
  ['01/02/99', 'DD/MM/YY', '2099-02-01T00:00:00'],
  ['28/11/2569', 'DD/MM/BBBB', '2026-11-28T00:00:00'],
  ['Mar 3, 2026 1:05 PM', 'MMM D, YYYY h:mm A', '2026-03-03T13:05:00'],
  ['12:00 am 2026-01-01', 'h:mm A YYYY-MM-DD', '2026-01-01T00:00:00'],
  ['3 févr. 2026', 'D MMM YYYY', '2026-02-03T00:00:00'],
  ['3 FEVRIER 2026', 'D MMMM YYYY', '2026-02-03T00:00:00'],
  ['3 Dezember 2026', 'D MMMM YYYY', '2026-12-03T00:00:00'],
  ['3. Mrz 2026', 'D. MMM YYYY', '2026-03-03T00:00:00'],
  ['3 ARALIK 2026', 'D MMMM YYYY', '2026-12-03T00:00:00'],
  ['3 Σεπτεμβρίου 2026', 'D MMMM YYYY', '2026-09-03T00:00:00'],
  ['3 lokakuuta 2026', 'D MMMM YYYY', '2026-10-03T00:00:00'],
  ['3 жовтня 2026', 'D MMMM YYYY', '2026-10-03T00:00:00'],
  ['3 אפר׳ 2026', 'D MMM YYYY', '2026-04-03T00:00:00'],
  ['25.11.2026 18h07', 'DD.MM.YYYY HH[h]mm', '2026-11-25T18:07:00'],
  ['le 3 mars 2026 (9)', '[le] D MMMM YYYY [(]H[)]', '2026-03-03T09:00:00'],
  ['2026-12-31 24:00', 'YYYY-MM-DD HH:mm', '2027-01-01T00:00:00'],
  ['20260102030405', undefined, '2026-01-02T03:04:05'],
  ['2026-01-02T03:04:05Z', undefined, '2026-01-02T03:04:05Z'],
  ['2026-01-02 03:04+0100', 'YYYY-MM-DD HH:mmZ', '2026-01-02T03:04:00+01:00'],
])('reads %s as %s: %s', (text, format, time) => {
  expect(readTime(text, format)).toBe(time);
});

test.each([
  ['31/02/2026', 'DD/MM/YYYY'],
  ['01/13/2026', 'DD/MM/YYYY'],
  ['2026-01-01 24:01', 'YYYY-MM-DD HH:mm'],
  ['13:00 AM 2026-01-01', 'h:mm A YYYY-MM-DD'],
  ['28/11/2569', 'DD/MM/YYYY'],
  ['28/11/1969', 'DD/MM/YYYY'],
  ['28/11/2101', 'DD/MM/YYYY'],
  ['3 Marching 2026', 'D MMMM YYYY'],
  ['3 listopad 2026', 'D MMMM YYYY'],
  ['hello', 'DD/MM/YYYY'],
  ['hello', undefined],
])('rejects %s as %s', (text, format) => {
  expect(readTime(text, format)).toBeUndefined();
});

test('reads a month that two languages name differently only in a given language', () => {
  const read = (language: string) => readTime('3 listopad 2026', 'D MMMM YYYY', { language });
  expect([read('hr'), read('pl'), read('cs'), read('en')]).toEqual([
    '2026-10-03T00:00:00',
    '2026-11-03T00:00:00',
    '2026-11-03T00:00:00',
    undefined,
  ]);
});

test.each([
  ['28.11.2026 10:00', '2026-11-28T10:00:00+01:00'],
  ['28.06.2026 10:00', '2026-06-28T10:00:00+02:00'],
  ['29.03.2026 02:30', '2026-03-29T03:30:00+02:00'],
  ['25.10.2026 02:30', '2026-10-25T02:30:00+02:00'],
])('gives %s the offset of its time zone', (text, time) => {
  expect(readTime(text, 'DD.MM.YYYY HH:mm', { zone: 'Europe/Berlin' })).toBe(time);
});

test('converts a time with an offset to the time zone', () => {
  const zone = 'Europe/Berlin';
  expect(readTime('2026-11-28T23:30:00.25Z', undefined, { zone })).toBe('2026-11-29T00:30:00.25+01:00');
  expect(localTimeOf('2026-11-28T23:30:00Z', zone)).toBe('2026-11-29T00:30:00+01:00');
  expect(localTimeOf('2026-11-28T23:30:00.123-05:00', 'Asia/Tokyo')).toBe('2026-11-29T13:30:00.123+09:00');
  expect(localTimeOf('2026-11-28T23:30:00', zone)).toBeUndefined();
  expect(localTimeOf('yesterday', zone)).toBeUndefined();
});

const plainAmounts = [
  '0',
  '7',
  '007',
  '12',
  '1,9',
  '1.9',
  '12,50',
  '12.50',
  '0,00',
  '1234567890123',
  '1234567890123.45',
];
test.each(plainAmounts.flatMap((text) => [undefined, '.', ','].map((decimal) => [text, decimal] as const)))(
  'reads the plain amount %s with the decimal separator %s by the same rules as other texts',
  (text, decimal) => {
    // A space at the end makes no difference to the rules.
    expect(readMoney(text, decimal)).toBe(readMoney(`${text} `, decimal));
  },
);
