/** The maximum pause that a receiver or a provider may request. */
export const retryAfterMaxMs = 86_400_000;

/** Parses seconds or a date (RFC 9110, section 10.2.3). Undefined for anything else. */
export function retryAfterMs(value: string | undefined, now: Date): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Math.min(Number(value) * 1_000, retryAfterMaxMs);
  const at = /^[A-Za-z]{3,9},? /.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - now.getTime()), retryAfterMaxMs);
}
