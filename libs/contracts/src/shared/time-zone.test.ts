import { dayAfter, localDate } from './time-zone';

test('returns the date in a time zone, which may differ from the date in UTC', () => {
  expect(localDate(new Date('2026-11-26T23:30:00Z'), 'Europe/Paris')).toBe('2026-11-27');
  expect(localDate(new Date('2026-11-26T23:30:00Z'), 'UTC')).toBe('2026-11-26');
});

test('counts days by the calendar', () => {
  expect(dayAfter('2026-10-25', -1)).toBe('2026-10-24');
  expect(dayAfter('2026-12-31', 1)).toBe('2027-01-01');
});
