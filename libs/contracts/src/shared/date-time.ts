/** An ISO 8601 date and time as written. `offsetMinutes` is undefined if there is no offset. */
export interface WrittenDateTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** The fraction of the second as written, including the decimal point, or an empty string. */
  readonly fraction: string;
  readonly offsetMinutes: number | undefined;
  /** Whether it ends in `Z`: an instant whose local offset is unknown (RFC 9557); `offsetMinutes` is then 0. */
  readonly isInstant: boolean;
}

const dateTimePattern =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:(Z)|([+-])(\d\d)(?::?(\d\d))?)?$/;

/** Years outside this range result from wrong clocks. Within it the UTC time has a four-digit year for every offset. */
const yearMin = 1900;
const yearMax = 9998;
/** The largest offset in use is fourteen hours. */
const offsetMinutesMax = 14 * 60;

function daysIn(month: number, year: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

const isDate = (year: number, month: number, day: number): boolean =>
  year >= yearMin && year <= yearMax && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(month, year);

const isTime = (hour: number, minute: number, second: number): boolean =>
  hour <= 23 && minute <= 59 && second <= 59;

const minuteMs = 60_000;

/** The epoch milliseconds of a time, which is in UTC unless it has an offset. */
export function epochMsOf({ offsetMinutes = 0, fraction, ...time }: WrittenDateTime): number {
  const { year, month, day, hour, minute, second } = time;
  const milliseconds = Math.floor(Number(`0${fraction}`) * 1_000);
  return Date.UTC(year, month - 1, day, hour, minute, second, milliseconds) - offsetMinutes * minuteMs;
}

/** Parses an ISO 8601 date and time and checks that the date exists. Undefined if it is invalid. */
export function readDateTime(text: string): WrittenDateTime | undefined {
  const match = dateTimePattern.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute] = [match[1], match[2], match[3], match[4], match[5]].map(Number) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const second = Number(match[6] ?? 0);
  if (!isDate(year, month, day) || !isTime(hour, minute, second)) return undefined;
  let offsetMinutes: number | undefined;
  const isInstant = match[8] !== undefined;
  if (isInstant) offsetMinutes = 0;
  else if (match[9] !== undefined) {
    const minutes = Number(match[11] ?? 0);
    const size = Number(match[10]) * 60 + minutes;
    if (minutes > 59 || size > offsetMinutesMax) return undefined;
    offsetMinutes = match[9] === '-' ? -size : size;
  }
  const fraction = match[7] === undefined ? '' : `.${match[7]}`;
  return { year, month, day, hour, minute, second, fraction, offsetMinutes, isInstant };
}
