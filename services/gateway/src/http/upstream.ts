import { newId, ServiceError, unavailable, type Call } from '@receipts/kernel';
import type { BrokerPort, RawReply, RawRequest } from '../broker-port';
import type { Backlog } from './backlog';
import { LatencyLimiter } from './latency-limiter';
import type { MountedContract } from './mounted-contract';
import type { QueryMembers } from './reply-parts';

export interface UpstreamOptions {
  readonly broker: BrokerPort;
  readonly backlog: Pick<Backlog, 'enter' | 'checkOutbox'>;
  /** The timeout of contracts that declare none. */
  readonly upstreamTimeoutMs: number;
  /** See `LatencyLimiter`. */
  readonly upstreamLatencyMsMax: number;
}

/** The service that owns a contract, as far as one endpoint calls it. */
export class Upstream {
  readonly timeoutMs: number;
  readonly broker: BrokerPort;
  private readonly latency: LatencyLimiter;
  /** True for commands except the operator's, which must work even while events cannot be published. */
  private readonly isChange: boolean;

  constructor(
    private readonly contract: MountedContract,
    private readonly options: UpstreamOptions,
  ) {
    const isOperators = contract.http.access === 'operator';
    this.broker = options.broker;
    this.timeoutMs = contract.timeoutMs ?? options.upstreamTimeoutMs;
    this.latency = new LatencyLimiter(isOperators ? 0 : options.upstreamLatencyMsMax);
    this.isChange = contract.kind === 'command' && !isOperators;
  }

  /**
   * Refuses what would only wait: while the broker accepts no messages, too much waits in the queue, events cannot be
   * published, or answers take too long.
   * @throws ServiceError 503 `unavailable`.
   */
  check(retailer: string): void {
    const { backlog } = this.options;
    const { state } = this.broker;
    if (state !== 'up') throw new ServiceError(unavailable, { internal: `the broker is ${state}` });
    if (this.contract.confirmed) backlog.enter(this.contract.owner, retailer);
    if (this.isChange) backlog.checkOutbox(this.contract.owner);
    this.latency.check();
  }

  ask(request: RawRequest, call: Call): Promise<RawReply> {
    return this.latency.measure(this.broker.askRaw(this.contract, request, call));
  }

  /** Asks with changed members of the query, as a call of its own. */
  askAgain(request: RawRequest, call: Call, changed: QueryMembers): Promise<RawReply> {
    const at = Date.now();
    const query = { ...(request.query as QueryMembers), ...changed };
    const next = { ...call, id: newId(at), at, deadline: at + this.timeoutMs };
    return this.broker.askRaw(this.contract, { ...request, query }, next);
  }

  /** Resolves when the broker has confirmed the message; the service executes it later. */
  send(request: RawRequest, call: Call): Promise<void> {
    return this.broker.sendRaw(this.contract, request, call);
  }
}
