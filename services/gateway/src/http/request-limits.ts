import { retrySoon, ServiceError, unavailable } from '@receipts/kernel';
import { rateLimited } from '../errors';
import type { Quota } from './quota';
import { KeyedCounts } from './keyed-counts';

export interface RequestLimits {
  /** The maximum number of requests in progress. More are rejected, because they would only wait. */
  readonly requestsMax: number;
  /** Requests are rejected while the event loop lags by more than this. 0 turns the check off. */
  readonly loopLagMsMax: number;
}

/** Shares are enforced only above this fraction of the maximum. Below it, every retailer may use whatever is free. */
const crowdedFrom = 0.5;
/**
 * The fraction of the maximum that is divided between the active retailers. The rest is reserved for retailers that
 * become active.
 */
const sharedOut = 0.75;

/**
 * A limit on the requests in progress. Under load all active retailers get equal shares, so that one retailer's load
 * does not block the others.
 */
export class RequestLimiter {
  private inProgress = 0;
  private readonly byRetailer = new KeyedCounts();

  constructor(
    private readonly limits: RequestLimits,
    private readonly loopLagMs: () => number = () => 0,
  ) {}

  /**
   * Counts a request before it is parsed.
   * @returns a function that is called once the request has ended
   * @throws ServiceError 503 `unavailable`.
   */
  enter(): () => void {
    const { requestsMax, loopLagMsMax } = this.limits;
    if (this.inProgress >= requestsMax) {
      throw new ServiceError(unavailable, { internal: 'too many requests in progress' });
    }
    if (loopLagMsMax > 0 && this.loopLagMs() > loopLagMsMax) {
      throw new ServiceError(unavailable, { internal: 'the event loop is lagging' });
    }
    this.inProgress++;
    return () => void this.inProgress--;
  }

  /**
   * Counts a request of a retailer.
   * @param retailer empty for callers without a retailer, to whom no share applies
   * @returns a function that is called once the request has ended
   * @throws ServiceError 429 `rate_limited` if the retailer's share is in use.
   */
  enterShare(retailer: string): () => void {
    const own = this.byRetailer.of(retailer);
    const isCrowded = this.byRetailer.total >= this.limits.requestsMax * crowdedFrom;
    if (retailer !== '' && isCrowded && own >= this.shareOf(own)) {
      throw retrySoon(rateLimited, {
        description: 'too many requests from this retailer are in progress',
      });
    }
    this.byRetailer.add(retailer);
    return () => this.byRetailer.remove(retailer);
  }

  private shareOf(own: number): number {
    const retailers = this.byRetailer.keys + (own === 0 ? 1 : 0);
    return Math.max(1, (this.limits.requestsMax * sharedOut) / retailers);
  }
}

export interface RateLimits {
  readonly readsPerSecond: number;
  readonly writesPerSecond: number;
  /** A burst may contain as many requests as the rate allows in this many seconds. */
  readonly burstSeconds: number;
}

/** Enough for a till to send what it has queued while it was offline, without a pause that a person would notice. */
export const burstSeconds = 10;

/** The maximum number of callers in memory, for each limit. */
const callersMax = 50_000;
/** The fraction of the callers that is forgotten at once, so that the search for them is rare. */
const forgottenShare = 1 / 8;
/** Times are sums of many floating-point numbers. Their accumulated error is less than this fraction of a token. */
const rounding = 0.001;

/**
 * A token bucket for each caller and kind of request (docs/interface.md, "Limits"). A bucket is stored as the time at which it
 * is full again (GCRA, the virtual scheduling algorithm of ATM Forum TM 4.0). rate-limiter-flexible counts in fixed windows,
 * and its memory has no limit.
 */
export class RateLimiter {
  private readonly fullAt = new Map<string, number>();
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
  }

  private msUntilFull(caller: string, now: number): number {
    return Math.max(0, (this.fullAt.get(caller) ?? 0) - now);
  }

  /**
   * A forgotten caller has a full bucket again, so the callers with the fullest buckets are forgotten: they gain least.
   */
  private makeRoom(): void {
    const times = Float64Array.from(this.fullAt.values()).sort();
    const latest = times[Math.floor(callersMax * forgottenShare)] ?? 0;
    for (const [caller, fullAt] of this.fullAt) if (fullAt <= latest) this.fullAt.delete(caller);
  }

  /** The remaining part of a caller's limit. */
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
    if (this.fullAt.size >= callersMax && !this.fullAt.has(caller)) this.makeRoom();
    this.fullAt.set(caller, now + ms);
  }
}

export interface BodyBudgetLimits {
  /** The maximum number of bytes of all bodies in memory. */
  readonly bytesMax: number;
  /** The maximum number of bytes of one caller's bodies in memory. */
  readonly callerBytesMax: number;
}

/** A body is also copied for the broker, so all take up to 80 MiB of the 384 MiB or more that a gateway has. */
export const bodyBudgetLimits: BodyBudgetLimits = {
  bytesMax: 40 * 1024 * 1024,
  callerBytesMax: 20 * 1024 * 1024,
};

/**
 * Bodies up to this size have a reserved part of the budget, so that large bodies cannot block the posting of receipts.
 */
const smallBytesMax = 64 * 1024;
/** The fraction of the budget that is reserved for small bodies. */
const smallShare = 0.25;
const retryAfterSeconds = '1';

/** Memory reserved for one body: reserved before the body is read, and held until the response is sent. */
export interface Reservation {
  /**
   * Reserves more, for a body of unknown length.
   * @throws ServiceError as `reserve` does.
   */
  grow(bytes: number): void;
  release(): void;
}

/** Limits the memory of request bodies, in total and per caller. */
export class BodyBudget {
  private readonly byCaller = new KeyedCounts();
  private small = 0;

  constructor(private readonly limits: BodyBudgetLimits) {}

  /** The number of reserved bytes. */
  get taken(): number {
    return this.byCaller.total;
  }

  /**
   * @param bytes the Content-Length; 0 if there is none.
   * @throws ServiceError 429 if this caller has used up its share, 503 if all callers together have used up the budget.
   */
  reserve(caller: string, bytes: number): Reservation {
    const isSmall = bytes > 0 && bytes <= smallBytesMax;
    let held = 0;
    let isReleased = false;
    const grow = (more: number) => {
      // A part of a long reply can arrive after its caller has gone.
      if (isReleased) return;
      this.take(caller, more, isSmall);
      held += more;
    };
    grow(bytes);
    return {
      grow,
      release: () => {
        this.byCaller.remove(caller, held);
        if (isSmall) this.small -= held;
        held = 0;
        isReleased = true;
      },
    };
  }

  private take(caller: string, bytes: number, isSmall: boolean): void {
    const { bytesMax, callerBytesMax } = this.limits;
    const own = this.byCaller.of(caller) + bytes;
    // A caller's only body may exceed the caller's share, up to the maximum size of a body.
    if (own > callerBytesMax && own > bytes) {
      throw new ServiceError(rateLimited, {
        description: 'too many bodies from this caller are being read',
        headers: { 'retry-after': retryAfterSeconds },
      });
    }
    const smallMax = bytesMax * smallShare;
    const large = this.taken - this.small;
    const isFull = isSmall ? this.small + bytes > smallMax : large > 0 && large + bytes > bytesMax - smallMax;
    if (isFull) throw new ServiceError(unavailable, { internal: 'no memory for another body' });
    this.byCaller.add(caller, bytes);
    if (isSmall) this.small += bytes;
  }
}
