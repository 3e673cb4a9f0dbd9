import { localDate } from './time-zone';

test('returns the date in a time zone, which may differ from the date in UTC', () => {
  expect(localDate(new Date('2026-11-26T23:30:00Z'), 'Europe/Paris')).toBe('2026-11-27');
  expect(localDate(new Date('2026-11-26T23:30:00Z'), 'UTC')).toBe('2026-11-26');
});
