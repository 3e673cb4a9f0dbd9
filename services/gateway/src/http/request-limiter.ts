import { ServiceError, unavailable } from '@receipts/kernel';
import { rateLimited } from '../errors';
import { InFlightCounts } from './in-flight-counts';

export interface RequestLimits {
  /** The maximum of requests in progress. More are refused, because they would only wait. */
  readonly requestsMax: number;
  /** Requests are refused while the event loop lags more than this. 0 turns it off. */
  readonly loopLagMsMax: number;
}

/** Shares are enforced only above this part of the maximum. Below it, every retailer may use what is free. */
const crowdedFrom = 0.5;
/**
 * The part of the maximum that is divided between the active retailers. The rest is kept for retailers that come next.
 */
const sharedOut = 0.75;

/**
 * A cap on the requests in progress. Under load all active retailers get equal shares, so that one retailer's load does
 * not block the others.
 */
export class RequestLimiter {
  private inProgress = 0;
  private readonly byRetailer = new InFlightCounts();

  constructor(
    private readonly limits: RequestLimits,
    private readonly loopLagMs: () => number = () => 0,
  ) {}

  /**
   * Counts a request before anything is known of it.
   * @throws ServiceError 503 `unavailable`.
   */
  enter(): void {
    const { requestsMax, loopLagMsMax } = this.limits;
    if (this.inProgress >= requestsMax) {
      throw new ServiceError(unavailable, { internal: 'too many requests in progress' });
    }
    if (loopLagMsMax > 0 && this.loopLagMs() > loopLagMsMax) {
      throw new ServiceError(unavailable, { internal: 'the event loop is late' });
    }
    this.inProgress++;
  }

  leave(): void {
    this.inProgress--;
  }

  /**
   * Counts a request of a retailer.
   * @param retailer empty for callers without a retailer, to whom no share applies
   * @throws ServiceError 429 `rate_limited` if the retailer's share is in use.
   */
  enterShare(retailer: string): void {
    const own = this.byRetailer.of(retailer);
    const isCrowded = this.byRetailer.total >= this.limits.requestsMax * crowdedFrom;
    if (retailer !== '' && isCrowded && own >= this.shareOf(own)) {
      throw new ServiceError(rateLimited, {
        description: 'too many requests of this retailer are in progress',
        headers: { 'retry-after': '1' },
      });
    }
    this.byRetailer.add(retailer);
  }

  leaveShare(retailer: string): void {
    this.byRetailer.remove(retailer);
  }

  private shareOf(own: number): number {
    const retailers = this.byRetailer.keys + (own === 0 ? 1 : 0);
    return Math.max(1, (this.limits.requestsMax * sharedOut) / retailers);
  }
}
