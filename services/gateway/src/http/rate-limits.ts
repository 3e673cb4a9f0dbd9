import { ServiceError } from '@receipts/kernel';
import { LRUCache } from 'lru-cache';
import { rateLimited } from '../errors';
import type { RequestContext } from './request-context';
import type { Quota } from './quota';

export interface RateLimits {
  readonly readsPerSecond: number;
  readonly writesPerSecond: number;
  /** The size of a burst, in seconds' worth of the rate. */
  readonly burstSeconds: number;
}

/** Enough for a till to send what it has queued while it was offline, without a pause that a person would notice. */
export const burstSeconds = 10;

/** The maximum of callers in memory. */
const callersMax = 50_000;
/** Times are sums of many floating-point numbers, which may be off by less than this part of a token. */
const rounding = 0.001;

/**
 * A token bucket for each caller and kind of request (docs/interface.md, "Limits"). A bucket is stored as the time at which it
 * is full again (GCRA, the virtual scheduling algorithm of ATM Forum TM 4.0).
 */
export class RateLimiter {
  private readonly fullAt: LRUCache<string, number>;
  /**
   * When the last of the evicted buckets is full again. A caller without a bucket may be one of the evicted, so its bucket
   * is no fuller than theirs.
   */
  private evictedFullAt = 0;
  private readonly msPerToken: number;
  private readonly capacity: number;

  /** @param now milliseconds of a monotonic clock */
  constructor(
    perSecond: number,
    private readonly burstSeconds: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.msPerToken = 1000 / perSecond;
    this.capacity = Math.max(1, perSecond * burstSeconds);
    this.fullAt = new LRUCache({
      max: callersMax,
      dispose: (fullAt, _caller, reason) => {
        if (reason === 'evict') this.evictedFullAt = Math.max(this.evictedFullAt, fullAt);
      },
    });
  }

  private msUntilFull(caller: string, now: number): number {
    return Math.max(0, (this.fullAt.get(caller) ?? this.evictedFullAt) - now);
  }

  /** What is left of a caller's limit now. */
  quotaOf(caller: string, policy: Quota['policy']): Quota {
    const ms = this.msUntilFull(caller, this.now());
    return {
      policy,
      requests: Math.round(this.capacity),
      perSeconds: this.burstSeconds,
      left: Math.max(0, Math.floor(this.capacity - ms / this.msPerToken + rounding)),
      fullInSeconds: Math.ceil(ms / 1000),
    };
  }

  /** @throws ServiceError 429 `rate_limited` with Retry-After. */
  take(caller: string): void {
    const now = this.now();
    const ms = this.msUntilFull(caller, now) + this.msPerToken;
    const missing = ms / this.msPerToken - this.capacity;
    if (missing > rounding) {
      const waitSeconds = Math.max(1, Math.ceil((missing * this.msPerToken) / 1000));
      throw new ServiceError(rateLimited, { headers: { 'retry-after': String(waitSeconds) } });
    }
    this.fullAt.set(caller, now + ms);
  }
}

/**
 * Takes a token of the route's limit; the answer says what is left.
 * @throws ServiceError 429 `rate_limited`.
 */
export function takeQuota(context: RequestContext, limiter: RateLimiter): void {
  try {
    limiter.take(context.limitedAs);
  } finally {
    context.quota = limiter.quotaOf(context.limitedAs, 'route');
  }
}

/**
 * Takes a token of the caller's limit for reads or writes. The answer mentions this limit only when it is exhausted.
 * @throws ServiceError 429 `rate_limited`.
 */
export function takeRequest(context: RequestContext, limiter: RateLimiter, policy: 'reads' | 'writes'): void {
  try {
    limiter.take(context.limitedAs);
  } catch (error) {
    context.quota = limiter.quotaOf(context.limitedAs, policy);
    throw error;
  }
}
