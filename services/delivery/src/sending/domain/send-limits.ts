import { tooManySends } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';

export interface SendLimit {
  readonly countMax: number;
  readonly windowMs: number;
  readonly description: string;
}

/** Protects mailboxes from being flooded with receipts. */
export const addressLimit: SendLimit = {
  countMax: 5,
  windowMs: 10 * 60_000,
  description: 'too many receipts were sent to this address, try again later',
};
export const receiptLimit: SendLimit = {
  countMax: 20,
  windowMs: 24 * 60 * 60_000,
  description: 'this receipt was sent too many times, try again later',
};

/**
 * @param times of past deliveries, newest first, at most as many as the limit allows
 * @param wanted the number of deliveries to add
 * @throws ServiceError 429 `rate_limited` with `Retry-After`
 */
export function checkSendLimit(limit: SendLimit, times: readonly Date[], wanted: number, now: Date): void {
  const { countMax, windowMs, description } = limit;
  const recent = times.filter((time) => now.getTime() - time.getTime() < windowMs);
  if (recent.length + wanted <= countMax) return;
  // Once this delivery has left the window, the requested deliveries are within the limit.
  const blocking = recent[Math.max(0, countMax - wanted)] ?? now;
  const seconds = Math.max(1, Math.ceil((blocking.getTime() + windowMs - now.getTime()) / 1000));
  throw new ServiceError(tooManySends, { description, headers: { 'retry-after': String(seconds) } });
}
