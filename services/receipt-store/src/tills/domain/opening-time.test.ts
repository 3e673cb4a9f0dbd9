import { instantOf, openBetween } from './opening-time';

const timeZone = 'Europe/Paris';
const minuteMs = 60_000;
const open = (hours: object | undefined, from: string, to: string) => {
  const { openMs, isOpen } = openBetween({ timeZone, hours }, new Date(from), new Date(to));
  return [openMs / minuteMs, isOpen];
};

describe('the opening time of a store', () => {
  // 2026-03-13 is a Friday, and Paris is one hour ahead until 2026-03-29.
  const days = { fri: ['08:00-12:00', '14:00-20:00'], sat: ['18:00-02:00'] };

  it.each([
    ['always without hours', undefined, '2026-03-13T03:00:00Z', '2026-03-13T04:30:00Z', [90, true]],
    ['never without ranges', {}, '2026-03-13T03:00:00Z', '2026-03-14T04:30:00Z', [0, false]],
    ['within a range', days, '2026-03-13T07:30:00Z', '2026-03-13T08:00:00Z', [30, true]],
    ['without a break', days, '2026-03-13T10:30:00Z', '2026-03-13T13:20:00Z', [50, true]],
    ['during a break', days, '2026-03-13T10:30:00Z', '2026-03-13T12:00:00Z', [30, false]],
    ['over night', days, '2026-03-13T18:30:00Z', '2026-03-14T18:00:00Z', [90, true]],
    ['after midnight', days, '2026-03-14T22:30:00Z', '2026-03-15T00:59:00Z', [149, true]],
    ['after the end', days, '2026-03-14T22:30:00Z', '2026-03-15T01:00:00Z', [150, false]],
    ['from the range of the day before', days, '2026-03-14T23:30:00Z', '2026-03-15T03:00:00Z', [90, false]],
  ])('counts %s', (_what, hours, from, to, expected) => {
    expect(open(hours, from, to)).toEqual(expected);
  });

  it('counts no minute of overlapping ranges twice', () => {
    const hours = { fri: ['08:00-12:00', '09:00-10:00', '11:00-13:00'] };
    expect(open(hours, '2026-03-13T00:00:00Z', '2026-03-13T22:00:00Z')).toEqual([300, false]);
  });

  it('counts the hours that a day has when clocks change', () => {
    const hours = { sun: ['00:00-24:00'] };
    expect(open(hours, '2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z')).toEqual([23 * 60, false]);
    expect(open(hours, '2026-10-24T12:00:00Z', '2026-10-26T12:00:00Z')).toEqual([25 * 60, false]);
  });

  it('knows the instant of a local time', () => {
    const at = (day: string, time: string) => new Date(instantOf(day, time, timeZone)).toISOString();
    expect(at('2026-03-13', '00:00')).toBe('2026-03-12T23:00:00.000Z');
    expect(at('2026-03-31', '24:00')).toBe('2026-03-31T22:00:00.000Z');
  });
});
