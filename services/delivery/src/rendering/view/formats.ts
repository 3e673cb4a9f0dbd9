import { decimalOf, printDecimal, type Decimal } from '@receipts/kernel';
import { clean } from './text';

/** A posted number, or a sum of posted numbers. */
type Amount = number | Decimal;

export interface Formats {
  readonly money: (amount: Amount, currency?: string | null) => string;
  readonly quantity: (amount: number) => string;
  readonly percent: (rate: number) => string;
  readonly dateTime: (localtime: string) => string;
  readonly date: (localtime: string) => string;
  /** The date without the year. */
  readonly day: (localtime: string) => string;
}

/**
 * Legal figures are shown with all posted digits: 8.875 % is neither 8.88 % nor 9 %. 20 digits are what `Intl` allows in
 * Node 20. A posted `-0` has no sign.
 */
const allDigits = { maximumFractionDigits: 20, signDisplay: 'negative' } as const;

/** `Intl` reads decimals in strings without converting them to binary fractions. */
const exactly = (amount: Amount) =>
  typeof amount === 'number' ? amount : (printDecimal(amount) as `${number}`);

/** A division of binary fractions would add digits. */
function hundredthOf(rate: number): Decimal {
  const { unscaled, scale } = decimalOf(rate);
  return { unscaled, scale: scale + 2 };
}

function moneyFormat(locale: string, currency: string): Intl.NumberFormat {
  try {
    return new Intl.NumberFormat(locale, { style: 'currency', currency, ...allDigits });
  } catch {
    return new Intl.NumberFormat(locale, { minimumFractionDigits: 2, ...allDigits });
  }
}

/** Formats amounts and times in the language of the reader. */
export function formatsOf(locale: string, currency: string): Formats {
  const moneyFormats = new Map<string, Intl.NumberFormat>();
  const moneyIn = (code: string) => {
    const format = moneyFormats.get(code) ?? moneyFormat(locale, code);
    moneyFormats.set(code, format);
    return format;
  };
  const quantity = new Intl.NumberFormat(locale, allDigits);
  const percent = new Intl.NumberFormat(locale, { style: 'percent', ...allDigits });
  // The local time of the till, as on the receipt, regardless of the reader's time zone.
  const dateTime = new Intl.DateTimeFormat(locale, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  });
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', timeZone: 'UTC' });
  const formatted = (format: Intl.DateTimeFormat) => (localtime: string) => {
    const at = new Date(`${localtime.slice(0, 19)}Z`);
    return Number.isNaN(at.getTime()) ? clean(localtime) : format.format(at);
  };
  return {
    money: (amount, other) => moneyIn(other ?? currency).format(exactly(amount)),
    quantity: (amount) => quantity.format(amount),
    percent: (rate) => percent.format(exactly(hundredthOf(rate))),
    dateTime: formatted(dateTime),
    date: formatted(date),
    day: formatted(day),
  };
}
