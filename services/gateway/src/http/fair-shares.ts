import { ServiceError } from '@receipts/kernel';
import { rateLimited } from '../errors';
import { Places } from './places';

/** Nobody is held to a share before so much of the whole is in use: what is free may be used by whoever comes. */
const crowdedFrom = 0.5;
/** What all retailers together are given as shares; the rest is there for those that come next. */
const sharedOut = 0.75;

/**
 * Places for requests in progress, by retailer: when it gets crowded, each of those that are there may hold as many as the
 * others, so that a flood of one keeps nobody else out.
 */
export class FairShares {
  private readonly places = new Places();

  constructor(private readonly placesMax: number) {}

  /**
   * @param retailer empty for callers of none, who are not held to a share
   * @throws ServiceError 429 `rate_limited` for a retailer that has its share in progress.
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
