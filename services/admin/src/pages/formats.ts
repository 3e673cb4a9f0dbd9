import { minorDigits } from '@receipts/contracts';

const fallbackLocale = 'en-GB';

/** A retailer's locale may be one that `Intl` does not support. */
function knownLocale(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag.replaceAll('_', '-'))[0] ?? fallbackLocale;
  } catch {
    return fallbackLocale;
  }
}

export function moneyFormat(locale: string, currency: string): (amount: number) => string {
  const options = { style: 'currency', currency, maximumFractionDigits: minorDigits(currency) } as const;
  const format = new Intl.NumberFormat(knownLocale(locale), options);
  return (amount) => format.format(amount);
}

/** An instant as local time: `2026-03-14T11:30:00Z` as `2026-03-14 12:30` in Paris. Swedish times are nearly ISO 8601. */
export function localTimeText(instant: string, timeZone: string): string {
  const options = { timeZone, dateStyle: 'short', timeStyle: 'short' } as const;
  return new Intl.DateTimeFormat('sv-SE', options).format(new Date(instant));
}

/** `2026-03-14T12:30:00+01:00` as `2026-03-14 12:30`. */
export function timeText(time: string): string {
  return time.slice(0, 16).replace('T', ' ');
}
