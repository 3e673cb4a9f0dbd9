import { type ServiceError } from '@receipts/kernel';
import { RequestLimiter } from './request-limits';

const limiterOf = (requestsMax: number) => new RequestLimiter({ requestsMax, loopLagMsMax: 0 });

const takes = (limiter: RequestLimiter, retailer: string): boolean => {
  try {
    limiter.enterShare(retailer);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ status: 429, code: 'rate_limited' });
    expect((error as ServiceError).headers).toEqual({ 'retry-after': '1' });
    return false;
  }
};
const takesUpTo = (limiter: RequestLimiter, retailer: string, most: number): number => {
  for (let count = 0; count < most; count++) if (!takes(limiter, retailer)) return count;
  return most;
};

test('limits a single retailer to three quarters, and keeps the rest free for others', () => {
  const limiter = limiterOf(100);
  expect(takesUpTo(limiter, 'flood', 100)).toBe(75);
  expect(takesUpTo(limiter, 'quiet', 25)).toBe(25);
});

test('does not enforce shares below half of the maximum', () => {
  const limiter = limiterOf(1_000);
  for (let n = 0; n < 100; n++) expect(takes(limiter, `quiet ${n}`)).toBe(true);
  expect(takesUpTo(limiter, 'busy', 399)).toBe(399);
});

test('above half of the maximum, rejects a retailer that exceeds its share until its requests have ended', () => {
  const limiter = limiterOf(100);
  const ends = Array.from({ length: 60 }, () => limiter.enterShare('flood'));
  expect(takes(limiter, 'quiet')).toBe(true);
  expect(takes(limiter, 'flood')).toBe(false);
  for (const end of ends.slice(0, 23)) end();
  expect(takes(limiter, 'flood')).toBe(true);
});

test('does not enforce a share for the operator, who has no retailer', () => {
  const limiter = limiterOf(4);
  expect(takesUpTo(limiter, '', 10)).toBe(10);
});

test('rejects requests above the maximum, or while the event loop lags', () => {
  let lagMs = 0;
  const limiter = new RequestLimiter({ requestsMax: 2, loopLagMsMax: 1_000 }, () => lagMs);
  const unavailable = expect.objectContaining({ status: 503 }) as Error;
  limiter.enter();
  const end = limiter.enter();
  expect(() => limiter.enter()).toThrow(unavailable);
  end();
  lagMs = 1_001;
  expect(() => limiter.enter()).toThrow(unavailable);
  lagMs = 1_000;
  limiter.enter();
});
