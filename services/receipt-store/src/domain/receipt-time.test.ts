import { readDateTime } from '@receipts/contracts';
import { receiptTime } from './receipt-time';

function timeOf(text: string, zone = 'Europe/Paris') {
  const written = readDateTime(text);
  if (!written) throw new Error(`${text} is not a date and time`);
  const { localtime, timestamp } = receiptTime(written, () => zone);
  return [localtime, timestamp];
}

test.each([
  // A given offset is kept; Z is an instant, in the time zone of the receipt.
  ['2024-05-17T14:03:22+02:00', 'UTC', '2024-05-17T14:03:22+02:00', '2024-05-17T12:03:22+00:00'],
  ['2024-05-17T14:03:22Z', 'Europe/Paris', '2024-05-17T16:03:22+02:00', '2024-05-17T14:03:22+00:00'],
  ['2024-05-17T22:30:00.5Z', 'Europe/Paris', '2024-05-18T00:30:00.5+02:00', '2024-05-17T22:30:00.5+00:00'],
  ['2024-10-27T01:30:00Z', 'Europe/Paris', '2024-10-27T02:30:00+01:00', '2024-10-27T01:30:00+00:00'],
  ['2024-05-17T14:03:22+00:00', 'Europe/Paris', '2024-05-17T14:03:22+00:00', '2024-05-17T14:03:22+00:00'],
  ['2024-05-17T14:03:22-0330', 'UTC', '2024-05-17T14:03:22-03:30', '2024-05-17T17:33:22+00:00'],
  ['2024-01-01T00:30:00+05', 'UTC', '2024-01-01T00:30:00+05:00', '2023-12-31T19:30:00+00:00'],
  // Seconds are always written; a fraction is kept unchanged.
  ['2024-05-17T14:03', 'Europe/Paris', '2024-05-17T14:03:00+02:00', '2024-05-17T12:03:00+00:00'],
  [
    '2024-05-17T14:03:22,123456',
    'UTC',
    '2024-05-17T14:03:22.123456+00:00',
    '2024-05-17T14:03:22.123456+00:00',
  ],
  // Summer and winter time.
  ['2024-07-01T12:00:00', 'Europe/Paris', '2024-07-01T12:00:00+02:00', '2024-07-01T10:00:00+00:00'],
  ['2024-12-01T12:00:00', 'Europe/Paris', '2024-12-01T12:00:00+01:00', '2024-12-01T11:00:00+00:00'],
  // Before and after the change on the same day.
  ['2024-03-31T01:59:59', 'Europe/Paris', '2024-03-31T01:59:59+01:00', '2024-03-31T00:59:59+00:00'],
  ['2024-03-31T03:00:00', 'Europe/Paris', '2024-03-31T03:00:00+02:00', '2024-03-31T01:00:00+00:00'],
  // Times inside the gap move forward by the length of the gap.
  ['2024-03-31T02:00:00', 'Europe/Paris', '2024-03-31T03:00:00+02:00', '2024-03-31T01:00:00+00:00'],
  ['2024-03-31T02:30:00', 'Europe/Paris', '2024-03-31T03:30:00+02:00', '2024-03-31T01:30:00+00:00'],
  ['2024-03-10T02:15:00', 'America/New_York', '2024-03-10T03:15:00-04:00', '2024-03-10T07:15:00+00:00'],
  // Ambiguous times get the earlier offset.
  ['2024-10-27T02:30:00', 'Europe/Paris', '2024-10-27T02:30:00+02:00', '2024-10-27T00:30:00+00:00'],
  ['2024-10-27T03:00:00', 'Europe/Paris', '2024-10-27T03:00:00+01:00', '2024-10-27T02:00:00+00:00'],
  ['2024-11-03T01:30:00', 'America/New_York', '2024-11-03T01:30:00-04:00', '2024-11-03T05:30:00+00:00'],
  // The southern hemisphere, a summer time of half an hour, and offsets that are not whole hours.
  ['2024-10-06T02:30:00', 'Australia/Sydney', '2024-10-06T03:30:00+11:00', '2024-10-05T16:30:00+00:00'],
  ['2024-10-06T02:10:00', 'Australia/Lord_Howe', '2024-10-06T02:40:00+11:00', '2024-10-05T15:40:00+00:00'],
  ['2024-04-07T01:45:00', 'Australia/Lord_Howe', '2024-04-07T01:45:00+11:00', '2024-04-06T14:45:00+00:00'],
  ['2024-05-17T12:00:00', 'Asia/Kathmandu', '2024-05-17T12:00:00+05:45', '2024-05-17T06:15:00+00:00'],
  // A whole day that did not exist: Samoa crossed the date line.
  ['2011-12-30T12:00:00', 'Pacific/Apia', '2011-12-31T12:00:00+14:00', '2011-12-30T22:00:00+00:00'],
  // Offsets with seconds are rounded to minutes.
  ['1905-06-01T12:00:00', 'Europe/Paris', '1905-06-01T12:00:00+00:09', '1905-06-01T11:51:00+00:00'],
])('interprets %s in %s', (text, zone, localtime, timestamp) => {
  expect(timeOf(text, zone)).toEqual([localtime, timestamp]);
});

test('needs the time zone only if there is no offset', () => {
  const written = readDateTime('2024-05-17T14:03:22+02:00');
  const zone = jest.fn(() => 'UTC');
  if (written) receiptTime(written, zone);
  expect(zone).not.toHaveBeenCalled();
});
