import { ServiceError, unavailable } from '@receipts/kernel';
import type { BrokerPort } from '../broker-port';
import { FairShares } from './fair-shares';

export interface AdmissionLimits {
  /** Requests in progress; more are turned away, because they would only wait. */
  readonly requestsMax: number;
  /** The event loop is this late: what comes now would be answered too late. 0 never sheds. */
  readonly loopLagMsMax: number;
}

/** Decides before a body is read whether there is any sense in taking a request. */
export class Admission {
  private inProgress = 0;
  /** Of the requests in progress, by retailer. */
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
   * For what must reach an owner.
   * @throws ServiceError 503 `unavailable` while the broker takes nothing.
   */
  checkBroker(): void {
    const { state } = this.broker;
    if (state !== 'up') throw new ServiceError(unavailable, { internal: `the broker is ${state}` });
  }
}
