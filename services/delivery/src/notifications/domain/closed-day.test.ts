import { closedDay } from './closed-day';

it.each([
  ['a quarter of an hour after midnight', 'Europe/Paris', '2026-05-17T22:15:00Z', '2026-05-17'],
  ['just before that', 'Europe/Paris', '2026-05-17T22:14:59Z', '2026-05-16'],
  ['in the afternoon', 'Europe/Paris', '2026-05-17T15:00:00Z', '2026-05-16'],
  ['in a zone that is a day ahead', 'Pacific/Kiritimati', '2026-05-17T10:15:00Z', '2026-05-17'],
  ['in a zone that is behind', 'America/Los_Angeles', '2026-05-17T06:00:00Z', '2026-05-15'],
  ['after a day of 23 hours', 'Europe/Paris', '2026-03-29T22:20:00Z', '2026-03-29'],
  ['after a day of 25 hours', 'Europe/Paris', '2026-10-25T23:20:00Z', '2026-10-25'],
  ['at the turn of the year', 'UTC', '2027-01-01T00:20:00Z', '2026-12-31'],
])('finds the last day that has ended, %s', (_when, timeZone, now, day) => {
  expect(closedDay(timeZone, new Date(now))).toBe(day);
});
