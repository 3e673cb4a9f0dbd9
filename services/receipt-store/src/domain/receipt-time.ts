import type { WrittenDateTime } from '@receipts/contracts';
import { offsetMinutesAt } from './zone-offset';

/** A moment as a receipt shows it. */
export interface ReceiptTime {
  /** With the offset of the receipt, never `Z`. */
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
 * Finds the moment that a till means. Without an offset the time is local to `zone`: inside a gap (clocks go forward) it
 * moves forward by the gap; where it happens twice (clocks go back) the earlier offset holds.
 * @param zone an IANA time zone name, asked for only when the text has no offset
 */
export function receiptTime(written: WrittenDateTime, zone: () => string): ReceiptTime {
  const { year, month, day, hour, minute, second, fraction, offsetMinutes } = written;
  const localMs = Date.UTC(year, month - 1, day, hour, minute, second);
  if (offsetMinutes !== undefined) return timeAt(localMs - offsetMinutes * minuteMs, offsetMinutes, fraction);

  const name = zone();
  const dayStartMs = Date.UTC(year, month - 1, day);
  // No place changes its clocks twice within these days, so at most two offsets come into question.
  const before = offsetMinutesAt(name, dayStartMs - dayMs);
  const after = offsetMinutesAt(name, dayStartMs + 2 * dayMs);
  const holds = (offset: number) => offsetMinutesAt(name, localMs - offset * minuteMs) === offset;
  if (before === after || holds(before)) return timeAt(localMs - before * minuteMs, before, fraction);
  if (holds(after)) return timeAt(localMs - after * minuteMs, after, fraction);
  return timeAt(localMs - before * minuteMs, after, fraction);
}
