import {
  defaultRetailerSettings,
  holdsPermission,
  isCountryCode,
  isCurrencyCode,
  isTimeZone,
  permissionNames,
  retailerSettings,
} from '../admin';

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const everyCode = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)));

describe('codes', () => {
  it('contains the 249 countries of ISO 3166-1 and the 31 codes of ISO 3166-3 (ATF is in both)', () => {
    expect(everyCode.filter(isCountryCode)).toHaveLength(249 + 30);
    for (const code of ['FRA', 'ATF', 'YUG', 'ANT']) expect(isCountryCode(code)).toBe(true);
    for (const code of ['fra', 'FR', 'XXX', 'ROM', '', '__proto__']) expect(isCountryCode(code)).toBe(false);
  });

  it('contains every currency of the runtime, and funds and metals', () => {
    expect(Intl.supportedValuesOf('currency').filter((code) => !isCurrencyCode(code))).toEqual([]);
    for (const code of ['CHE', 'CLF', 'XAU', 'USN']) expect(isCurrencyCode(code)).toBe(true);
    for (const code of ['eur', 'EURO', 'DEM', '']) expect(isCurrencyCode(code)).toBe(false);
  });

  it('contains the time zones of the IANA database and their links, but no other names', () => {
    expect(Intl.supportedValuesOf('timeZone').filter((name) => !isTimeZone(name))).toEqual([]);
    for (const name of ['UTC', 'Asia/Calcutta', 'US/Pacific', 'CET', 'Etc/GMT+5']) {
      expect(isTimeZone(name)).toBe(true);
    }
    for (const name of ['PST', 'IST', '+01:00', 'Europe/Nowhere', 'Europe/', 'SystemV/PST8', '']) {
      expect(isTimeZone(name)).toBe(false);
    }
  });
});

describe('permissions', () => {
  it('begin with "view"', () => {
    expect(permissionNames.every((name) => /^view\.([a-z_]+|\*)$/.test(name))).toBe(true);
  });

  it('can be granted by name or all together', () => {
    expect(holdsPermission(['view.get_store'], 'view.get_store')).toBe(true);
    expect(holdsPermission(['view.*'], 'view.get_store')).toBe(true);
    expect(holdsPermission(['view.get_store'], 'view.get_stor')).toBe(false);
    expect(holdsPermission(permissionNames.slice(1), 'view.*')).toBe(false);
  });
});

describe('settings of a retailer', () => {
  it('get defaults in every part', () => {
    for (const partial of [undefined, {}, { stores: {} }, { channels: { email: {} } }]) {
      expect(retailerSettings.parse(partial)).toEqual(defaultRetailerSettings);
    }
  });
});
