/** The period that a date of reduced precision denotes: from a year to a fraction of a second. */
export interface DateUnit {
  /** Epoch milliseconds of its first instant. */
  readonly from: number;
  /** Epoch milliseconds of the first instant after it. */
  readonly to: number;
}

const pattern =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d)(?::(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?(Z|[+-]\d\d:\d\d)?)?)?)?$/;

const minuteMs = 60_000;
/** Microseconds. Rounding finer fractions to a double could carry the last nanoseconds of a day over to the next. */
const fractionDigitsMax = 6;

/** Parses an ISO 8601 date of any precision, in UTC if it has no offset. Undefined if it is invalid. */
export function parseDateUnit(text: string): DateUnit | undefined {
  const match = pattern.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, fraction, offset] = match;
  const [y, mo, d] = [Number(year), number(month, 1), number(day, 1)];
  const [h, mi, s] = [number(hour), number(minute), number(second)];
  const shift = offsetMs(offset);
  if (shift === undefined || !isDate(y, mo, d) || h > 23 || mi > 59 || s > 59) return undefined;
  const from = utc(y, mo - 1, d) + (h * 60 + mi) * minuteMs + s * 1000 - shift;
  if (fraction !== undefined) {
    const digits = fraction.slice(0, fractionDigitsMax);
    const unit = 10 ** (3 - digits.length);
    return { from: from + Number(digits) * unit, to: from + (Number(digits) + 1) * unit };
  }
  if (second !== undefined) return { from, to: from + 1000 };
  if (minute !== undefined) return { from, to: from + minuteMs };
  if (hour !== undefined) return { from, to: from + 60 * minuteMs };
  if (day !== undefined) return { from, to: from + 24 * 60 * minuteMs };
  if (month !== undefined) return { from, to: utc(y, mo, 1) };
  return { from, to: utc(y + 1, 0, 1) };
}

const number = (text: string | undefined, otherwise = 0): number =>
  text === undefined ? otherwise : Number(text);

/** Like Date.UTC, but does not map the years 0 to 99 to 1900 to 1999. */
function utc(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month, day);
}

const isDate = (year: number, month: number, day: number): boolean =>
  month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);

function daysIn(year: number, month: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month, 0);
  return date.getUTCDate();
}

function offsetMs(offset: string | undefined): number | undefined {
  if (offset === undefined || offset === 'Z') return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(4, 6));
  if (hours > 23 || minutes > 59) return undefined;
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * minuteMs;
}
