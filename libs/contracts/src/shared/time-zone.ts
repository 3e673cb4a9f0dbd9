const minuteMs = 60_000;

/**
 * The maximum number of cached zones. The names are valid, but callers choose their case, so the number of variants
 * must be bounded.
 */
const zonesMax = 1_000;
const offsetsMax = 20_000;

const formatters = new Map<string, Intl.DateTimeFormat>();
const offsets = new Map<string, number>();

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known) return known;
  const formatter = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  if (formatters.size >= zonesMax) formatters.clear();
  formatters.set(zone, formatter);
  return formatter;
}

function computeOffset(zone: string, epochMs: number): number {
  const fields = new Map<string, number>();
  for (const { type, value } of formatterOf(zone).formatToParts(epochMs)) fields.set(type, Number(value));
  const of = (name: string) => fields.get(name) ?? 0;
  const localMs = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  return Math.round((localMs - epochMs) / minuteMs);
}

/**
 * The offset of a zone at a time, in minutes east of Greenwich. Offsets with seconds, which some places used until the
 * middle of the last century, are rounded, because a receipt cannot express them.
 * @param epochMs whole seconds; results are cached, and most requests are for the start of a day
 */
export function offsetMinutesAt(zone: string, epochMs: number): number {
  const key = `${zone}|${epochMs}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  const offset = computeOffset(zone, epochMs);
  if (offsets.size >= offsetsMax) offsets.clear();
  offsets.set(key, offset);
  return offset;
}

const dayMs = 24 * 60 * minuteMs;

/**
 * The date that many days after another. A day of a time zone may have 23 or 25 hours, so it cannot be found by adding
 * hours to an instant.
 * @param days may be negative
 */
export const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 'YYYY-MM-DD'.length);

/** The date of an instant in a time zone, such as `2026-03-14`. Swedish dates are ISO 8601. */
export function localDate(instant: Date, timeZone: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(instant);
}
