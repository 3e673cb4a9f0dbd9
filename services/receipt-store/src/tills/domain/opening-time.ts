import {
  dayAfter,
  localDate,
  readDateTime,
  weekdays,
  type OpeningHours,
  type WrittenDateTime,
} from '@receipts/contracts';
import { receiptTime } from '../../domain/receipt-time';

/** When a store is open, in its own time; without hours, always. */
export interface OpeningTime {
  readonly timeZone: string;
  readonly hours: OpeningHours | undefined;
}

/** A period, in epoch milliseconds, without its end. */
interface Period {
  readonly from: number;
  readonly to: number;
}

/** A store that has been closed for longer is not looked at any further back. */
const daysMax = 400;

/** The instant of a local time, in epoch milliseconds. @param time `HH:MM`; `24:00` is the end of the day */
export function instantOf(day: string, time: string, timeZone: string): number {
  const [date, clock] = time === '24:00' ? [dayAfter(day, 1), '00:00'] : [day, time];
  const written = readDateTime(`${date}T${clock}:00`) as WrittenDateTime;
  return Date.parse(receiptTime(written, () => timeZone).timestamp);
}

function periodsOf(day: string, hours: OpeningHours, timeZone: string): Period[] {
  const weekday = weekdays[(new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7];
  return ((weekday && hours[weekday]) ?? []).map((range) => {
    const [start, end] = range.split('-') as [string, string];
    const lastDay = end > start ? day : dayAfter(day, 1);
    return { from: instantOf(day, start, timeZone), to: instantOf(lastDay, end, timeZone) };
  });
}

/** How long a store was open between two times, and whether it is open at the second one. */
export function openBetween({ timeZone, hours }: OpeningTime, from: Date, to: Date) {
  const [fromMs, toMs] = [from.getTime(), to.getTime()];
  if (!hours) return { openMs: Math.max(0, toMs - fromMs), isOpen: true };
  const last = localDate(to, timeZone);
  // A range of the day before may end after the beginning.
  const first = dayAfter(localDate(from, timeZone), -1);
  const periods: Period[] = [];
  for (let back = 0; back < daysMax; back++) {
    const day = dayAfter(last, -back);
    if (day < first) break;
    periods.push(...periodsOf(day, hours, timeZone));
  }
  let openMs = 0;
  let countedTo = fromMs;
  // Ranges may overlap, and no minute counts twice.
  for (const period of periods.sort((a, b) => a.from - b.from)) {
    const start = Math.max(period.from, countedTo);
    const end = Math.min(period.to, toMs);
    if (end <= start) continue;
    openMs += end - start;
    countedTo = end;
  }
  return { openMs, isOpen: periods.some((period) => period.from <= toMs && toMs < period.to) };
}
