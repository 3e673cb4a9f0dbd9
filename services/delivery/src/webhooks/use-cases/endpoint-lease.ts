import type { EndpointLeaseDocument } from '../storage/endpoint-leases';

/** After this time an endpoint with much work is released, so that others get a turn. */
const servedMsMax = 5_000;

/** The lease of an endpoint that this process holds. */
export class EndpointLease {
  readonly endpointId: string;
  readonly retailer: string;
  /** Whether the last attempt has failed. */
  isFailing: boolean;
  /** Set if the receiver has requested a pause. */
  pausedUntil: Date | undefined;
  private readonly endsAt = performance.now() + servedMsMax;

  constructor(
    { _id, retailer, failingSince }: EndpointLeaseDocument,
    private until: Date,
    private readonly now: () => Date,
  ) {
    this.endpointId = _id;
    this.retailer = retailer;
    this.isFailing = failingSince !== null;
  }

  /** Whether this process still holds the lease. False after it was suspended, or could not reach the database. */
  get isValid(): boolean {
    return this.now() < this.until;
  }

  /** Whether another attempt may begin. */
  get isOpen(): boolean {
    return this.isValid && !this.pausedUntil && performance.now() < this.endsAt;
  }

  /** @param until undefined if another process has taken over the lease */
  renewed(until: Date | undefined): void {
    this.until = until ?? new Date(0);
  }
}
