import { Temporal } from 'temporal-polyfill';
import { monthOf } from './month-names';

/**
 * Parses a date and time as printed by tills and returns ISO 8601, as receipts require. Tokens of a format: YYYY YY BBBB
 * MMMM MMM MM M DD D HH H hh h mm m ss s SSS A Z; any other character, and text in square brackets, matches itself.
 */

type Unit =
  | 'year'
  | 'buddhist'
  | 'month'
  | 'day'
  | 'hour'
  | 'minute'
  | 'second'
  | 'fraction'
  | 'half'
  | 'offset';

const tokens: readonly { token: string; unit: Unit; pattern: string }[] = [
  { token: 'YYYY', unit: 'year', pattern: '(\\d{4})' },
  { token: 'YY', unit: 'year', pattern: '(\\d{2})' },
  { token: 'BBBB', unit: 'buddhist', pattern: '(\\d{4})' },
  { token: 'MMMM', unit: 'month', pattern: "([\\p{L}\\p{M}.׳’']{1,20})" },
  { token: 'MMM', unit: 'month', pattern: "([\\p{L}\\p{M}.׳’']{1,20})" },
  { token: 'MM', unit: 'month', pattern: '(\\d{2})' },
  { token: 'M', unit: 'month', pattern: '(\\d{1,2})' },
  { token: 'DD', unit: 'day', pattern: '(\\d{2})' },
  { token: 'D', unit: 'day', pattern: '(\\d{1,2})' },
  { token: 'HH', unit: 'hour', pattern: '(\\d{2})' },
  { token: 'H', unit: 'hour', pattern: '(\\d{1,2})' },
  { token: 'hh', unit: 'hour', pattern: '(\\d{2})' },
  { token: 'h', unit: 'hour', pattern: '(\\d{1,2})' },
  { token: 'mm', unit: 'minute', pattern: '(\\d{2})' },
  { token: 'm', unit: 'minute', pattern: '(\\d{1,2})' },
  { token: 'SSS', unit: 'fraction', pattern: '(\\d{1,9})' },
  { token: 'ss', unit: 'second', pattern: '(\\d{2})' },
  { token: 's', unit: 'second', pattern: '(\\d{1,2})' },
  { token: 'A', unit: 'half', pattern: '([AaPp])\\.?[Mm]\\.?' },
  { token: 'Z', unit: 'offset', pattern: '(Z|[+-]\\d{2}:?\\d{2})' },
];

interface Format {
  readonly pattern: RegExp;
  readonly units: readonly Unit[];
}

const formats = new Map<string, Format>();
const cachedFormatsMax = 200;

/** Text in a format that matches itself, though its letters could be tokens. */
const literal = /^\[([^\]]+)\]/;

const matching = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&').replace(/\s/g, '\\s+');

function compileFormat(format: string): Format {
  const known = formats.get(format);
  if (known) return known;
  const units: Unit[] = [];
  let source = '';
  let rest = format;
  while (rest !== '') {
    const [quoted, text = rest[0] ?? ''] = literal.exec(rest) ?? [];
    const found = tokens.find(({ token }) => rest.startsWith(token));
    if (found) units.push(found.unit);
    source += found?.pattern ?? matching(text);
    rest = rest.slice(found?.token.length ?? quoted?.length ?? 1);
  }
  const compiled = { pattern: new RegExp(`^\\s*${source}\\s*$`, 'u'), units };
  if (formats.size < cachedFormatsMax) formats.set(format, compiled);
  return compiled;
}

/** The fault of a format, regardless of the text; undefined for a usable format. */
export function formatFault(format: string): string | undefined {
  const { units } = compileFormat(format);
  const has = (unit: Unit) => units.includes(unit);
  if (units.length === 0) return 'the format has no token such as YYYY, MM or DD';
  if (new Set(units).size !== units.length)
    return 'the format has two tokens for the same part; put letters of the text in brackets, as in HH[h]mm';
  if (has('year') === has('buddhist')) return 'the format needs one year: YYYY, YY or BBBB';
  if (!has('month') || !has('day')) return 'the format needs a month and a day';
  return undefined;
}

type Read = Partial<Record<Unit, string>>;

const yearMin = 1970;
const yearMax = 2100;
const buddhistYears = 543;

/** @returns undefined for a year that no receipt can have, for example one of another calendar */
function yearOf({ year = '', buddhist }: Read): number | undefined {
  const written = buddhist === undefined ? Number(year) : Number(buddhist) - buddhistYears;
  const full = year.length === 2 ? 2000 + written : written;
  return full >= yearMin && full <= yearMax ? full : undefined;
}

/** @returns undefined for an hour that the half of the day contradicts */
function hourOf({ hour = '0', half }: Read): number | undefined {
  const written = Number(hour);
  if (half === undefined) return written;
  const isAfternoon = half.toLowerCase() === 'p';
  if (written > 12) return isAfternoon ? written : undefined;
  return (written % 12) + (isAfternoon ? 12 : 0);
}

function offsetOf(text: string | undefined): string {
  if (text === undefined) return '';
  // A receipt with Z gets the time zone of its store, which +00:00 would prevent.
  if (text === 'Z') return text;
  return text.includes(':') ? text : `${text.slice(0, 3)}:${text.slice(3)}`;
}

/** The date and time that were read; undefined if they do not exist. */
function plainTime(read: Read, language: string | undefined): Temporal.PlainDateTime | undefined {
  const year = yearOf(read);
  const name = read.month ?? '';
  const month = /^\d+$/.test(name) ? Number(name) : monthOf(name, language);
  const hour = hourOf(read);
  if (year === undefined || month === undefined || hour === undefined) return undefined;
  const [day, minute, second] = [Number(read.day), Number(read.minute ?? 0), Number(read.second ?? 0)];
  // Midnight at the end of the day.
  const isEnd = hour === 24 && minute === 0 && second === 0 && read.half === undefined;
  try {
    const time = new Temporal.PlainDateTime(year, month, day, isEnd ? 0 : hour, minute, second);
    return isEnd ? time.add({ days: 1 }) : time;
  } catch {
    return undefined;
  }
}

/** ISO 8601 with seconds, the offset, and the fraction of the second as it was written. */
function printTime(time: Temporal.PlainDateTime, fraction: string | undefined, offset: string): string {
  return `${time.toString()}${fraction === undefined ? '' : `.${fraction}`}${offset}`;
}

/** The time of an instant in a zone. */
function zonedTime(time: Temporal.ZonedDateTime, fraction: string | undefined): string {
  const [, offset = ''] = /([+-]\d{2}:\d{2})$/.exec(time.toString({ timeZoneName: 'never' })) ?? [];
  return printTime(time.toPlainDateTime().with({ millisecond: 0 }), fraction, offset);
}

export interface TimeContext {
  /** An IANA time zone: the result has its offset. */
  readonly zone?: string | undefined;
  /** The language of the names of months, if they are ambiguous. */
  readonly language?: string | undefined;
}

function toIso(read: Read, { zone, language }: TimeContext): string | undefined {
  const time = plainTime(read, language);
  if (!time) return undefined;
  const offset = offsetOf(read.offset);
  if (zone === undefined) return printTime(time, read.fraction, offset);
  // A time in a gap moves forward by the gap; a time that occurs twice is the first.
  const zoned =
    offset === ''
      ? time.toZonedDateTime(zone)
      : Temporal.Instant.from(`${time.toString()}${offset}`).toZonedDateTimeISO(zone);
  return zonedTime(zoned, read.fraction);
}

/**
 * Converts an instant, with `Z` or an offset, to the local time of a zone.
 * @returns undefined for a text without an offset, or one that is not an instant
 */
export function localTimeOf(instant: string, zone: string): string | undefined {
  const [, fraction] = /:\d{2}[.,](\d{1,9})/.exec(instant) ?? [];
  try {
    const { epochMilliseconds } = Temporal.Instant.from(instant.trim());
    const time = Temporal.Instant.fromEpochMilliseconds(epochMilliseconds).toZonedDateTimeISO(zone);
    return time.year >= yearMin && time.year <= yearMax ? zonedTime(time, fraction) : undefined;
  } catch {
    return undefined;
  }
}

const zones = new Map<string, boolean>();
const cachedZonesMax = 500;

/** Whether this is the name of a time zone, such as `Europe/Paris` or `UTC`. */
export function isZone(name: string): boolean {
  let known = zones.get(name);
  if (known === undefined) {
    try {
      new Intl.DateTimeFormat('en', { timeZone: name });
      known = true;
    } catch {
      known = false;
    }
    if (zones.size < cachedZonesMax) zones.set(name, known);
  }
  return known;
}

const commonFormats = [
  'YYYY-MM-DDTHH:mm:ss.SSSZ',
  'YYYY-MM-DDTHH:mm:ssZ',
  'YYYY-MM-DDTHH:mm:ss.SSS',
  'YYYY-MM-DDTHH:mm:ss',
  'YYYY-MM-DDTHH:mm',
  'YYYY-MM-DD HH:mm:ss',
  'YYYY-MM-DD HH:mm',
  'YYYY-MM-DD',
  'YYYYMMDDHHmmss',
  'YYYYMMDD HHmmss',
  'YYYYMMDD',
];

/**
 * @returns undefined if the text does not match the format (or a common ISO form if no format is given), or if the date
 * does not exist
 */
export function readTime(text: string, format?: string, context: TimeContext = {}): string | undefined {
  for (const candidate of format === undefined ? commonFormats : [format]) {
    const { pattern, units } = compileFormat(candidate);
    const match = pattern.exec(text);
    if (!match) continue;
    const read: Read = {};
    units.forEach((unit, index) => {
      const value = match[index + 1];
      if (value !== undefined) read[unit] = value;
    });
    return toIso(read, context);
  }
  return undefined;
}
