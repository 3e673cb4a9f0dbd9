import { ServiceError } from '@receipts/kernel';
import { rateLimited } from '../errors';
import { Places } from './places';

/** Shares are enforced only above this part of the maximum. Below it, every retailer may use what is free. */
const crowdedFrom = 0.5;
/**
 * The part of the maximum that is divided between the active retailers. The rest is kept for retailers that come next.
 */
const sharedOut = 0.75;

/**
 * Places for requests in progress, by retailer. Under load all active retailers get equal shares, so that one retailer's
 * load does not block the others.
 */
export class FairShares {
  private readonly places = new Places();

  constructor(private readonly placesMax: number) {}

  /**
   * @param retailer empty for callers without a retailer, to whom no share applies
   * @throws ServiceError 429 `rate_limited` if the retailer's share is in use.
   */
  enter(retailer: string): void {
    const own = this.places.of(retailer);
    if (retailer !== '' && this.places.total >= this.placesMax * crowdedFrom && own >= this.shareOf(own)) {
      throw new ServiceError(rateLimited, {
        description: 'too many requests of this retailer are in progress',
        headers: { 'retry-after': '1' },
      });
    }
    this.places.take(retailer);
  }

  leave(retailer: string): void {
    this.places.free(retailer);
  }

  private shareOf(own: number): number {
    const retailers = this.places.holders + (own === 0 ? 1 : 0);
    return Math.max(1, (this.placesMax * sharedOut) / retailers);
  }
}
