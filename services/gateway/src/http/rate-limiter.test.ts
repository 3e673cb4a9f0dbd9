import { RateLimiter } from './request-limits';

const callersMax = 50_000;

let now: number;
let limiter: RateLimiter;
beforeEach(() => {
  now = 1_000_000;
  limiter = new RateLimiter(10, 6, () => now);
});

const takeAll = (caller: string) => {
  let taken = 0;
  try {
    for (;;) {
      limiter.take(caller);
      taken++;
    }
  } catch (error) {
    expect(error).toMatchObject({ status: 429, code: 'rate_limited' });
    return taken;
  }
};

it('allows a burst, then the rate', () => {
  expect(takeAll('joe')).toBe(60);
  now += 100;
  expect(takeAll('joe')).toBe(1);
  now += 1_000;
  expect(takeAll('joe')).toBe(10);
  now += 60_000;
  expect(takeAll('joe')).toBe(60);
});

it('limits each caller separately', () => {
  takeAll('joe');
  expect(takeAll('ann')).toBe(60);
});

it('returns the remaining quota, and when the limit is fully available again', () => {
  for (let n = 0; n < 12; n++) limiter.take('joe');
  expect(limiter.quotaOf('joe', 'reads')).toEqual({
    policy: 'reads',
    requests: 60,
    perSeconds: 6,
    left: 48,
    fullInSeconds: 2,
  });
  takeAll('joe');
  expect(limiter.quotaOf('joe', 'reads')).toMatchObject({ left: 0, fullInSeconds: 6 });
});

it('states when to try again', () => {
  limiter = new RateLimiter(1 / 20, 60, () => now);
  takeAll('joe');
  now += 5_000;
  expect(() => limiter.take('joe')).toThrow(
    expect.objectContaining({ headers: { 'retry-after': '15' } }) as Error,
  );
});

const others = (count: number) => {
  for (let n = 0; n < count; n++) limiter.take(`other-${n}`);
};

it('gives newcomers a full bucket, however many callers there are and however empty their buckets', () => {
  takeAll('joe');
  others(callersMax);
  expect(takeAll('new')).toBe(60);
  for (let n = 0; n < 200; n++) takeAll(`greedy-${n}`);
  others(callersMax);
  expect(takeAll('newer')).toBe(60);
});

it('forgets the callers with the fullest buckets, never one that has used up its bucket', () => {
  takeAll('joe');
  others(callersMax);
  expect(takeAll('joe')).toBe(0);
  now += 1_000;
  others(callersMax);
  expect(takeAll('joe')).toBeLessThanOrEqual(10);
});

it('does not evict an active caller, and gives new callers a full bucket', () => {
  takeAll('joe');
  for (let n = 0; n < callersMax; n++) {
    limiter.take(`other-${n}`);
    if (n % 1_000 === 0) expect(takeAll('joe')).toBe(0);
  }
  now += 6_000;
  expect(takeAll('new')).toBe(60);
});
