import { dayAfter, localDate } from '@receipts/contracts';

/** Receipts of the evening may take a while to arrive. */
const graceMs = 15 * 60_000;

/** The last day that has ended in a time zone, a few minutes ago or earlier; `YYYY-MM-DD`. */
export const closedDay = (timeZone: string, now: Date): string =>
  dayAfter(localDate(new Date(now.getTime() - graceMs), timeZone), -1);
