/** The date of an instant in a time zone, such as `2026-03-14`. Swedish dates are ISO 8601. */
export function localDate(instant: Date, timeZone: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(instant);
}
