import { ServiceError, unavailable } from '@receipts/kernel';
import type { BrokerPort } from '../broker-port';
import { FairShares } from './fair-shares';

export interface AdmissionLimits {
  /** The maximum of requests in progress. More are refused, because they would only wait. */
  readonly requestsMax: number;
  /** Requests are refused while the event loop lags more than this. 0 turns it off. */
  readonly loopLagMsMax: number;
}

/** Decides before the body is read whether a request is accepted. */
export class Admission {
  private inProgress = 0;
  /** Requests in progress by retailer. */
  readonly shares: FairShares;

  constructor(
    private readonly limits: AdmissionLimits,
    private readonly broker: Pick<BrokerPort, 'state'>,
    private readonly loopLagMs: () => number = () => 0,
  ) {
    this.shares = new FairShares(limits.requestsMax);
  }

  get requests(): number {
    return this.inProgress;
  }

  /** @throws ServiceError 503 `unavailable`. */
  enter(): void {
    if (this.inProgress >= this.limits.requestsMax) {
      throw new ServiceError(unavailable, { internal: 'too many requests in progress' });
    }
    const { loopLagMsMax } = this.limits;
    if (loopLagMsMax > 0 && this.loopLagMs() > loopLagMsMax) {
      throw new ServiceError(unavailable, { internal: 'the event loop is late' });
    }
    this.inProgress++;
  }

  leave(): void {
    this.inProgress--;
  }

  /**
   * For requests that need an owner.
   * @throws ServiceError 503 `unavailable` while the broker accepts no messages.
   */
  checkBroker(): void {
    const { state } = this.broker;
    if (state !== 'up') throw new ServiceError(unavailable, { internal: `the broker is ${state}` });
  }
}
