/** The decimal places of currencies (ISO 4217), cached. */
const known = new Map<string, number>();

/** The number of decimal places of a currency: 2 for EUR, 0 for JPY, 3 for KWD. */
export function minorDigits(currency: string): number {
  let digits = known.get(currency);
  if (digits === undefined) {
    const options = { style: 'currency', currency } as const;
    digits = new Intl.NumberFormat('en', options).resolvedOptions().maximumFractionDigits ?? 2;
    known.set(currency, digits);
  }
  return digits;
}
