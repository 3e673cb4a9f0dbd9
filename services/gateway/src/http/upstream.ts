import { newId, ServiceError, unavailable, type Call } from '@receipts/kernel';
import type { Broker, RawReply, RawRequest } from '@receipts/messaging';
import type { MountedContract } from './mounted-contract';
import type { QueryMembers } from './reply-parts';
import { KeyedCounts } from './keyed-counts';

/** Above this fraction of the maximum, the rest is divided between retailers. */
const sharedFrom = 0.5;
const retryAfterSeconds = 5;

/** `Retry-After` is random, so that callers do not all retry at the same time. */
function tryLater(why: string): ServiceError {
  const seconds = retryAfterSeconds + Math.floor(Math.random() * retryAfterSeconds);
  return new ServiceError(unavailable, { internal: why, headers: { 'retry-after': String(seconds) } });
}

/**
 * The number of messages in the queues that packets pass through, as of the last poll. Packets are rejected while the
 * backlog is too long. Between half of the maximum and the maximum, only retailers that exceed their share are rejected,
 * so that one retailer's load does not delay the others.
 */
export class Backlog {
  private waiting = 0;
  /** The requests accepted per retailer since half of the maximum was exceeded. */
  private admitted: KeyedCounts | undefined;

  /** @param messagesMax the maximum number of messages in these queues */
  constructor(private readonly messagesMax: number) {}

  note(messages: number): void {
    this.waiting = messages;
    if (messages < this.messagesMax * sharedFrom) this.admitted = undefined;
    else this.admitted ??= new KeyedCounts();
  }

  /** @throws ServiceError 503 `unavailable` with `Retry-After` for a command that is executed later. */
  enter(retailer: string): void {
    const { waiting, admitted } = this;
    if (waiting >= this.messagesMax) throw tryLater(`${waiting} packets wait`);
    if (!admitted) return;
    if (admitted.keys > 1 && admitted.of(retailer) > admitted.total / admitted.keys)
      throw tryLater(`${waiting} packets wait, and ${retailer} exceeds its share`);
    admitted.add(retailer);
  }
}

/** Fewer open requests may be just a batch or two of an owner, and a slow batch is not a queue. */
const openMin = 64;
const windowMs = 500;
/** How much the limit grows in a window without a delay. */
const increase = 1.25;

/**
 * Detects that requests of one kind queue for their owner: in half a second, not even the fastest of them was completed
 * within the maximum. Further requests would make all of them wait, until callers give up and retry requests that are
 * still in progress. Therefore, only as many requests may be open as can be completed within the maximum at the current
 * rate (Little's law); the limit rises slowly again once the delay is gone. For the method, see Nichols and Jacobson,
 * "Controlling Queue Delay", ACM Queue 10(5), 2012.
 */
export class LatencyLimiter {
  private open = 0;
  /** The maximum number of open requests. */
  private limit = Infinity;
  private windowFrom = 0;
  private fastestMs = Infinity;
  private answered = 0;

  /** @param latencyMsMax 0 turns the limiter off @param now milliseconds of a monotonic clock */
  constructor(
    private readonly latencyMsMax: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @throws ServiceError 503 `unavailable` */
  check(): void {
    if (this.open < this.limit) return;
    throw new ServiceError(unavailable, {
      internal: `${this.open} requests wait, each for more than ${this.latencyMsMax} ms`,
    });
  }

  /** Measures how long the owner takes, regardless of the outcome. */
  async measure<T>(work: Promise<T>): Promise<T> {
    const began = this.now();
    this.open++;
    try {
      return await work;
    } finally {
      this.open--;
      this.note(began);
    }
  }

  private note(began: number): void {
    const now = this.now();
    if (now - this.windowFrom >= windowMs) {
      this.adjust(this.answered / (now - this.windowFrom));
      this.windowFrom = now;
      this.fastestMs = Infinity;
      this.answered = 0;
    }
    this.answered++;
    this.fastestMs = Math.min(this.fastestMs, now - began);
    if (this.open > 0) return;
    this.limit = Infinity;
    this.fastestMs = Infinity;
  }

  private adjust(answeredPerMs: number): void {
    if (this.latencyMsMax === 0 || this.fastestMs === Infinity) return;
    this.limit =
      this.fastestMs > this.latencyMsMax
        ? Math.max(openMin, answeredPerMs * this.latencyMsMax)
        : this.limit * increase;
  }
}

export interface UpstreamOptions {
  readonly broker: Pick<Broker, 'state' | 'askRaw' | 'send'>;
  readonly backlog: Pick<Backlog, 'enter'>;
  /** The timeout of contracts that declare none. */
  readonly upstreamTimeoutMs: number;
  /** See `LatencyLimiter`. */
  readonly upstreamLatencyMsMax: number;
}

/** The service that owns a contract, as one endpoint calls it. */
export class Upstream {
  readonly timeoutMs: number;
  readonly broker: UpstreamOptions['broker'];
  private readonly latency: LatencyLimiter;

  constructor(
    private readonly contract: MountedContract,
    private readonly options: UpstreamOptions,
  ) {
    const isOperators = contract.http.access === 'operator';
    this.broker = options.broker;
    this.timeoutMs = contract.timeoutMs ?? options.upstreamTimeoutMs;
    this.latency = new LatencyLimiter(isOperators ? 0 : options.upstreamLatencyMsMax);
  }

  /**
   * Rejects requests that would only wait: while the broker does not accept messages, the queue is too long, or replies
   * take too long. Unpublished events are no reason: they are safe in the database, and a service that cannot publish
   * them can still accept receipts.
   * @throws ServiceError 503 `unavailable`.
   */
  check(retailer: string): void {
    const { backlog } = this.options;
    const { state } = this.broker;
    if (state !== 'up') throw new ServiceError(unavailable, { internal: `the broker is ${state}` });
    if (this.contract.oneWay) backlog.enter(retailer);
    this.latency.check();
  }

  ask(request: RawRequest, call: Call): Promise<RawReply> {
    return this.latency.measure(this.broker.askRaw(this.contract, request, call));
  }

  /** Repeats the query with some members changed, as a separate call. */
  askAgain(request: RawRequest, call: Call, changed: QueryMembers): Promise<RawReply> {
    const at = Date.now();
    const query = { ...(request.query as QueryMembers), ...changed };
    const next = { ...call, id: newId(at), at, deadline: at + this.timeoutMs };
    return this.broker.askRaw(this.contract, { ...request, query }, next);
  }

  /** Resolves when the broker has confirmed the message; the service executes it later. */
  send(request: RawRequest, call: Call): Promise<void> {
    return this.broker.send(this.contract, request, call);
  }
}
