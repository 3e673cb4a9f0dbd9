import { offsetMinutesAt, type WrittenDateTime } from '@receipts/contracts';

/** A time in the two formats of a receipt. */
export interface ReceiptTime {
  /** The time with the receipt's offset, never `Z`. */
  readonly localtime: string;
  /** In UTC, written with `+00:00`. */
  readonly timestamp: string;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

function isoSeconds(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19);
}

function printOffset(minutes: number): string {
  const size = Math.abs(minutes);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

function timeAt(epochMs: number, offsetMinutes: number, fraction: string): ReceiptTime {
  return {
    localtime: `${isoSeconds(epochMs + offsetMinutes * minuteMs)}${fraction}${printOffset(offsetMinutes)}`,
    timestamp: `${isoSeconds(epochMs)}${fraction}+00:00`,
  };
}

/**
 * Interprets the time from a till. Without an offset, it is local to `zone`; with `Z`, it is an instant, expressed in
 * `zone`; any other offset is kept. A local time inside a gap (clocks go forward)
 * moves forward by the length of the gap; a time that occurs twice (clocks go back) gets the earlier offset.
 * @param zone returns an IANA time zone name; called only if the text has no offset or `Z`
 */
export function receiptTime(written: WrittenDateTime, zone: () => string): ReceiptTime {
  const { year, month, day, hour, minute, second, fraction, offsetMinutes, isInstant } = written;
  const localMs = Date.UTC(year, month - 1, day, hour, minute, second);
  if (isInstant) return timeAt(localMs, offsetMinutesAt(zone(), localMs), fraction);
  if (offsetMinutes !== undefined) return timeAt(localMs - offsetMinutes * minuteMs, offsetMinutes, fraction);

  const name = zone();
  const dayStartMs = Date.UTC(year, month - 1, day);
  // No time zone changes its offset twice within these days, so at most two offsets are possible.
  const before = offsetMinutesAt(name, dayStartMs - dayMs);
  const after = offsetMinutesAt(name, dayStartMs + 2 * dayMs);
  const holds = (offset: number) => offsetMinutesAt(name, localMs - offset * minuteMs) === offset;
  if (before === after || holds(before)) return timeAt(localMs - before * minuteMs, before, fraction);
  if (holds(after)) return timeAt(localMs - after * minuteMs, after, fraction);
  return timeAt(localMs - before * minuteMs, after, fraction);
}
