/** Receipts of the evening may take a while to arrive. */
const graceMs = 15 * 60_000;
const dayMs = 86_400_000;

/** The last day that has ended in a time zone, a few minutes ago or earlier; `YYYY-MM-DD`. */
export function closedDay(timeZone: string, now: Date): string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
  const today = format.format(new Date(now.getTime() - graceMs));
  return new Date(Date.parse(`${today}T00:00:00Z`) - dayMs).toISOString().slice(0, 'YYYY-MM-DD'.length);
}
