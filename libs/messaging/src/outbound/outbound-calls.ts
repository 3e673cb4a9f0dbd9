import type { Call, Contract, ServiceError, Tracing } from '@receipts/kernel';
import type { SupervisedChannel } from '../connection/supervised-channel';
import type { SupervisedConnection } from '../connection/supervised-connection';
import { noBytes, type Packed } from '../message/envelope';
import { requestFacts, requestHead, type RawRequest } from '../message/request';
import { sendSpan } from '../reporting/spans';
import { BackpressureGate, unavailableError } from './backpressure-gate';
import { RequestBatcher, type BatchItem } from './request-batcher';

/** The precision of deadlines, which share one timer. */
const deadlinePrecisionMs = 20;

/** A message that waits for its response; it is done when each of its items is. */
interface PendingMessage {
  itemsLeft: number;
}

/** A request from the call until its reply, its confirm or its failure. */
export class PendingRequest<T> implements Packed, BatchItem {
  readonly head: string;
  readonly body: Buffer;
  readonly bytes: number;
  /** The message that contains the request; undefined while the request waits for one. */
  message: PendingMessage | undefined;
  isSettled = false;

  /** @param settled called once with the result or the error */
  constructor(
    readonly id: number,
    readonly queue: string,
    readonly contract: Contract,
    request: RawRequest,
    readonly call: Call,
    readonly settled: (error: ServiceError | undefined, result?: T) => void,
  ) {
    this.head = requestHead(id, contract, request, call);
    this.body = request.body ?? noBytes;
    this.bytes = this.head.length + this.body.length;
  }
}

export interface OutboundCallsOptions<T> {
  readonly connection: SupervisedConnection;
  /** The channel for sending. */
  readonly channel: SupervisedChannel;
  readonly now: () => number;
  readonly tracing: Tracing | undefined;
  /** The exchange of the messages, for their spans; empty for the default exchange. */
  readonly exchange: string;
  /** What callers wait for; named in the error after the deadline. */
  readonly awaited: 'answer' | 'confirm';
  /** Publishes one message. Its requests are settled later, or sent again. */
  readonly publish: (queue: string, requests: readonly PendingRequest<T>[]) => void;
}

/**
 * The requests that wait for a reply or a confirm. Each is admitted, serialized, sent in a message with others, and
 * settled exactly once: by its response, at its deadline, or when the broker is lost.
 */
export class OutboundCalls<T> {
  readonly #options: OutboundCallsOptions<T>;
  readonly #gate: BackpressureGate;
  /** Unsettled requests by their number in the envelope. */
  readonly #pending = new Map<number, PendingRequest<T>>();
  readonly #batchers = new Map<string, RequestBatcher<PendingRequest<T>>>();
  #lastId = 0;
  #deadlineTimer: NodeJS.Timeout | undefined;

  constructor(options: OutboundCallsOptions<T>) {
    this.#options = options;
    this.#gate = new BackpressureGate(options.connection, options.channel, options.now);
    options.connection.onChange(() => this.#connectionChanged());
  }

  /**
   * @param ended called with the status before the promise settles; 200 for success
   * @throws ServiceError the owner's refusal, or 503 `unavailable` when there is no response in time
   */
  submit(
    queue: string,
    contract: Contract,
    request: RawRequest,
    call: Call,
    ended?: (status: number) => void,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      if (call.deadline <= this.#options.now()) throw unavailableError('the deadline has passed');
      this.#gate.enter(request.body?.length ?? 0);
      const { tracing, exchange } = this.#options;
      const span = tracing && sendSpan(tracing, { exchange, key: queue }, requestFacts(contract.name, call));
      const sent = span ? { ...call, traceparent: span.traceparent } : call;
      const settled = (error: ServiceError | undefined, result?: T) => {
        span?.end(error && error.status >= 500 ? String(error.status) : undefined);
        ended?.(error?.status ?? 200);
        if (error) reject(error);
        else resolve(result as T);
      };
      const pending = new PendingRequest(++this.#lastId, queue, contract, request, sent, settled);
      this.#pending.set(pending.id, pending);
      this.#deadlineTimer ??= setInterval(() => this.#expire(), deadlinePrecisionMs);
      this.#batcher(queue).add(pending);
    });
  }

  find(id: number): PendingRequest<T> | undefined {
    return this.#pending.get(id);
  }

  /** Only the first outcome counts. */
  settle(request: PendingRequest<T>, error: ServiceError | undefined, result?: T): void {
    if (request.isSettled) return;
    request.isSettled = true;
    this.#pending.delete(request.id);
    this.#gate.leave(request.body.length);
    this.#leaveMessage(request);
    request.settled(error, result);
  }

  fail(request: PendingRequest<T>, why: string): void {
    this.settle(request, unavailableError(why));
  }

  /** Fails all requests that were sent and wait for a response. */
  failSent(why: string): void {
    for (const request of this.#pending.values()) if (request.message) this.fail(request, why);
  }

  /** Sends a request again; false when the broker has been unavailable for too long. */
  sendAgain(request: PendingRequest<T>): boolean {
    if (!this.#gate.isWorthWaiting) return false;
    this.#leaveMessage(request);
    this.#batcher(request.queue).add(request);
    return true;
  }

  #batcher(queue: string): RequestBatcher<PendingRequest<T>> {
    let batcher = this.#batchers.get(queue);
    if (!batcher) {
      batcher = new RequestBatcher(
        (requests) => {
          const message = { itemsLeft: requests.length };
          for (const request of requests) request.message = message;
          this.#options.publish(queue, requests);
        },
        () => this.#gate.canWrite,
      );
      this.#batchers.set(queue, batcher);
    }
    return batcher;
  }

  #leaveMessage(request: PendingRequest<T>): void {
    const { message } = request;
    request.message = undefined;
    if (message && --message.itemsLeft === 0) this.#batcher(request.queue).messageDone();
  }

  #expire(): void {
    const now = this.#options.now();
    for (const request of this.#pending.values()) {
      if (request.call.deadline <= now) this.fail(request, `no ${this.#options.awaited} before the deadline`);
    }
    if (this.#pending.size > 0) return;
    clearInterval(this.#deadlineTimer);
    this.#deadlineTimer = undefined;
  }

  #connectionChanged(): void {
    if (this.#gate.canWrite) for (const batcher of this.#batchers.values()) batcher.resume();
    // A blocked broker sends neither replies nor confirms, so waiting is pointless.
    else if (this.#options.connection.state === 'blocked') this.#failAll('the broker is blocked');
    else this.#failLater();
  }

  #failAll(why: string): void {
    for (const request of this.#pending.values()) this.fail(request, why);
  }

  /** Fails the requests only if the connection does not come back soon. */
  #failLater(): void {
    const { waitUntil } = this.#gate;
    if (waitUntil === undefined) return;
    const ms = Math.max(0, waitUntil - this.#options.now());
    setTimeout(() => {
      if (!this.#gate.isOpen) this.#failAll('the broker is down');
    }, ms).unref();
  }
}
