import { check, type ServiceError } from '@receipts/kernel';
import { openingHoursOf } from './opening-hours';
import { postedStore } from './store';

const store = (settings: unknown) => ({ name: 'One', country: 'FRA', settings });

function faultsOf(settings: unknown) {
  try {
    check(postedStore, store(settings));
    return [];
  } catch (error) {
    return (error as ServiceError).errors?.map(({ path, code }) => [path, code]);
  }
}

describe('the opening hours in the settings of a store', () => {
  it.each([
    ['none', { printer: true }],
    ['null', { opening_hours: null }],
    ['settings that are no object', 5],
    ['several ranges a day', { opening_hours: { mon: ['08:00-12:30', '14:00-20:00'], sun: [] } }],
    ['a range across midnight', { opening_hours: { fri: ['18:00-02:00'] } }],
    ['a whole day', { opening_hours: { sat: ['00:00-24:00'] } }],
    ['a store that never opens', { opening_hours: {} }],
  ])('may be %s', (_what, settings) => {
    expect(faultsOf(settings)).toEqual([]);
  });

  it.each([
    ['no object', { opening_hours: '8-20' }, '/settings/opening_hours', 'invalid_type'],
    ['an unknown day', { opening_hours: { monday: [] } }, '/settings/opening_hours/monday', 'unknown_field'],
    ['no list', { opening_hours: { mon: '08:00-20:00' } }, '/settings/opening_hours/mon', 'invalid_type'],
    [
      'another form',
      { opening_hours: { mon: ['8:00-20:00'] } },
      '/settings/opening_hours/mon/0',
      'invalid_format',
    ],
    [
      'an hour that no day has',
      { opening_hours: { mon: ['08:00-25:00'] } },
      '/settings/opening_hours/mon/0',
      'invalid_format',
    ],
    [
      'an empty range',
      { opening_hours: { mon: ['08:00-08:00'] } },
      '/settings/opening_hours/mon/0',
      'invalid_value',
    ],
  ])('are refused with %s', (_what, settings, path, code) => {
    expect(faultsOf(settings)).toEqual([[path, code]]);
  });

  it('are read from the settings of a store that has them', () => {
    expect(openingHoursOf(store({ opening_hours: { mon: ['08:00-20:00'] } }))).toEqual({
      mon: ['08:00-20:00'],
    });
    for (const settings of [null, 'x', [1], {}, { opening_hours: null }]) {
      expect(openingHoursOf(store(settings))).toBeUndefined();
    }
  });
});
