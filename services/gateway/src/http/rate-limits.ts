import { ServiceError } from '@receipts/kernel';
import { rateLimited } from '../errors';
import type { Exchange } from './exchange';
import type { Quota } from './quota';

export interface RateLimits {
  readonly readsPerSecond: number;
  readonly writesPerSecond: number;
  /** The size of a burst, in seconds' worth of the rate. */
  readonly burstSeconds: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** The maximum of callers in memory. Above it the oldest is removed, which gives that caller a full bucket again. */
const bucketsMax = 50_000;

/** A token bucket for each caller and kind of request (decisions, section 4). */
export class RateLimiter {
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    private readonly perSecond: number,
    private readonly burstSeconds: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  private get capacity(): number {
    return Math.max(1, this.perSecond * this.burstSeconds);
  }

  private bucketOf(caller: string): Bucket {
    const { capacity } = this;
    const now = this.now();
    let bucket = this.buckets.get(caller);
    if (!bucket) {
      if (this.buckets.size >= bucketsMax) this.forgetFirst();
      bucket = { tokens: capacity, at: now };
      this.buckets.set(caller, bucket);
    }
    bucket.tokens = Math.min(capacity, bucket.tokens + ((now - bucket.at) / 1000) * this.perSecond);
    bucket.at = now;
    return bucket;
  }

  /** What is left of a caller's limit now. */
  quotaOf(caller: string, policy: Quota['policy']): Quota {
    const { tokens } = this.bucketOf(caller);
    return {
      policy,
      requests: Math.round(this.capacity),
      perSeconds: this.burstSeconds,
      left: Math.floor(tokens),
      fullInSeconds: Math.ceil((this.capacity - tokens) / this.perSecond),
    };
  }

  /** @throws ServiceError 429 `rate_limited` with Retry-After. */
  take(caller: string): void {
    const bucket = this.bucketOf(caller);
    if (bucket.tokens < 1) {
      const waitSeconds = Math.max(1, Math.ceil((1 - bucket.tokens) / this.perSecond));
      throw new ServiceError(rateLimited, { headers: { 'retry-after': String(waitSeconds) } });
    }
    bucket.tokens--;
  }

  private forgetFirst(): void {
    const [first] = this.buckets.keys();
    if (first !== undefined) this.buckets.delete(first);
  }
}

/**
 * Takes a token of the route's limit; the answer says what is left.
 * @throws ServiceError 429 `rate_limited`.
 */
export function takeQuota(exchange: Exchange, limiter: RateLimiter): void {
  try {
    limiter.take(exchange.limitedAs);
  } finally {
    exchange.quota = limiter.quotaOf(exchange.limitedAs, 'route');
  }
}

/**
 * Takes a token of the caller's limit for reads or writes. The answer mentions this limit only when it is exhausted.
 * @throws ServiceError 429 `rate_limited`.
 */
export function takeRequest(exchange: Exchange, limiter: RateLimiter, policy: 'reads' | 'writes'): void {
  try {
    limiter.take(exchange.limitedAs);
  } catch (error) {
    exchange.quota = limiter.quotaOf(exchange.limitedAs, policy);
    throw error;
  }
}
