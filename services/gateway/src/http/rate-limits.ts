import { ServiceError } from '@receipts/kernel';
import { rateLimited } from '../errors';
import type { Exchange } from './exchange';
import type { Quota } from './quota';

export interface RateLimits {
  readonly readsPerSecond: number;
  readonly writesPerSecond: number;
  /** How many requests may come at once after a pause, as seconds' worth of the rate. */
  readonly burstSeconds: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** Above this the caller that came first is forgotten; a forgotten bucket is a full one. */
const bucketsMax = 50_000;

/** One token bucket for each caller and kind of request (decisions, section 4). */
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

  /** What is left to a caller now. */
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
 * Takes one of the requests that a route allows its caller, who is told what is left.
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
 * Takes one of the requests that a caller may make of this kind. Only who has none left is told about the limit.
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
