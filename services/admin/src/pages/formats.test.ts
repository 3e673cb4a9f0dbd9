import { localTimeText } from './formats';

test('shows instants as local time, also across midnight and in summer', () => {
  expect(localTimeText('2026-11-26T23:30:00+00:00', 'Europe/Paris')).toBe('2026-11-27 00:30');
  expect(localTimeText('2026-07-01T10:00:00Z', 'Europe/Paris')).toBe('2026-07-01 12:00');
});
