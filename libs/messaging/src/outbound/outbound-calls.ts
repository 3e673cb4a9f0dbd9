import { retrySoon, unavailable, type Call, type Contract, type ServiceError } from '@receipts/kernel';
import type { SupervisedChannel } from '../connection/supervised-channel';
import { noBytes, type Packed, requestFacts, requestHead, type RawRequest } from '../message/envelope';
import { messageSpan } from '../reporting/spans';
import type { BrokerContext } from '../topology/broker-context';
import { RequestBatcher, type BatchItem } from './request-batcher';

/**
 * The maximum number of calls waiting for a reply or confirm; beyond that, the process is overloaded and rejects calls.
 */
const pendingMax = 20_000;
const pendingBytesMax = 128 * 1024 * 1024;
/** The owner of a queue is expected to respond to a message within this time, unless it works on it. */
const unansweredMs = 1_000;
/** The precision of deadlines, which share one timer. */
const deadlinePrecisionMs = 20;

/** A message that waits for its response; it is done when each of its items is. */
interface PendingMessage {
  itemsLeft: number;
  readonly sentAt: number;
  readonly done: () => void;
}

/** A request, from the call until its reply, confirm or failure. */
export interface PendingRequest<T> extends Packed, BatchItem {
  /** The number of the request in the envelope, which the reply refers to. */
  readonly id: number;
  /** Where it is sent, which may change until it has a response. */
  queue: string;
  readonly contract: Contract;
  readonly call: Call;
  /** The message that contains the request; undefined while the request waits for one. */
  message: PendingMessage | undefined;
  isSettled: boolean;
  readonly settled: (error: ServiceError | undefined, result?: T) => void;
}

export interface OutboundCallsOptions<T> {
  readonly channelOf: (queue: string) => SupervisedChannel;
  /** The exchange of the messages, for their spans; empty for the default exchange. */
  readonly exchange: string;
  /** What callers wait for, as stated in the error after the deadline. */
  readonly awaited: 'answer' | 'confirm';
  /** Publishes one message. Its requests are settled later, or sent again. */
  readonly publish: (queue: string, requests: readonly PendingRequest<T>[]) => void;
  /** Called again and again while a request that was sent has had no response for a second. */
  readonly unanswered?: (request: PendingRequest<T>, ageMs: number) => void;
}

/**
 * The requests that wait for a reply or a confirm. Each is admitted, serialized, sent in a message with others, and
 * settled exactly once: by its response, at its deadline, or when the broker is unavailable.
 */
export class OutboundCalls<T> {
  private readonly context: BrokerContext;
  private readonly options: OutboundCallsOptions<T>;
  /** Unsettled requests by id. */
  private readonly pending = new Map<number, PendingRequest<T>>();
  private readonly batchers = new Map<string, RequestBatcher<PendingRequest<T>>>();
  private pendingBytes = 0;
  private lastId = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(context: BrokerContext, options: OutboundCallsOptions<T>) {
    this.context = context;
    this.options = options;
    context.publishing.onChange(() => {
      for (const batcher of this.batchers.values()) batcher.resume();
    });
  }

  /**
   * @param ended called with the status before the promise settles; 200 for success
   * @throws ServiceError the owner's error, or 503 `unavailable` if there is no response in time
   */
  async submit(
    queue: string,
    contract: Contract,
    request: RawRequest,
    call: Call,
    ended?: (status: number) => void,
  ): Promise<T> {
    const { body = noBytes } = request;
    this.checkCapacity(body.length, call);
    const { tracing } = this.context;
    const destination = { exchange: this.options.exchange, key: queue };
    const span = tracing && messageSpan(tracing, 'send', destination, requestFacts(contract.name, call));
    const sent = span ? { ...call, traceparent: span.traceparent } : call;
    const id = ++this.lastId;
    const head = requestHead(id, contract, request, sent);
    return new Promise((resolve, reject) => {
      const settled = (error: ServiceError | undefined, result?: T) => {
        span?.end(error && error.status >= 500 ? String(error.status) : undefined);
        ended?.(error?.status ?? 200);
        if (error) reject(error);
        else resolve(result as T);
      };
      const bytes = head.length + body.length;
      const state = { message: undefined, isSettled: false };
      const pending = { id, queue, contract, call: sent, head, body, bytes, settled, ...state };
      this.pending.set(id, pending);
      this.pendingBytes += body.length;
      this.timer ??= setInterval(() => this.failOverdue(), deadlinePrecisionMs);
      this.batcher(queue).add(pending);
    });
  }

  find(id: number): PendingRequest<T> | undefined {
    return this.pending.get(id);
  }

  /** Only the first outcome counts. */
  settle(request: PendingRequest<T>, error: ServiceError | undefined, result?: T): void {
    if (request.isSettled) return;
    request.isSettled = true;
    this.pending.delete(request.id);
    this.pendingBytes -= request.body.length;
    this.leaveMessage(request);
    request.settled(error, result);
  }

  fail(request: PendingRequest<T>, why: string): void {
    this.settle(request, retrySoon(unavailable, { internal: why }));
  }

  /** The requests that were sent to some queues and wait for a response. */
  sent(to: (queue: string) => boolean): PendingRequest<T>[] {
    return [...this.pending.values()].filter(({ message, queue }) => message !== undefined && to(queue));
  }

  /** Sends a request again, with the next message to the queue. */
  resend(request: PendingRequest<T>, queue = request.queue): void {
    this.leaveMessage(request);
    request.queue = queue;
    this.batcher(queue).add(request);
  }

  /** @throws ServiceError 503 if the deadline has passed, the broker is unavailable, or too many calls are pending */
  private checkCapacity(bytes: number, call: Call): void {
    const { publishing, now } = this.context;
    if (call.deadline <= now()) throw retrySoon(unavailable, { internal: 'the deadline has passed' });
    if (!publishing.isWorthWaiting)
      throw retrySoon(unavailable, { internal: `the broker is ${publishing.state}` });
    if (this.pending.size >= pendingMax || this.pendingBytes + bytes > pendingBytesMax)
      throw retrySoon(unavailable, { internal: 'too many messages are unanswered' });
  }

  private batcher(queue: string): RequestBatcher<PendingRequest<T>> {
    let batcher = this.batchers.get(queue);
    if (!batcher) {
      const { channelOf, publish } = this.options;
      const { now } = this.context;
      const send = (requests: readonly PendingRequest<T>[]) =>
        new Promise<void>((done) => {
          const message = { itemsLeft: requests.length, sentAt: now(), done };
          for (const request of requests) request.message = message;
          publish(queue, requests);
        });
      batcher = new RequestBatcher(send, () => channelOf(queue).canPublish);
      this.batchers.set(queue, batcher);
    }
    return batcher;
  }

  private leaveMessage(request: PendingRequest<T>): void {
    const { message } = request;
    request.message = undefined;
    if (message && --message.itemsLeft === 0) message.done();
  }

  /** Fails the requests whose deadline has passed, and all of them while the broker is unavailable. */
  private failOverdue(): void {
    const { publishing, now } = this.context;
    const { unanswered, awaited } = this.options;
    const { isWorthWaiting, state } = publishing;
    const at = now();
    for (const request of this.pending.values()) {
      const { message, call } = request;
      if (!isWorthWaiting) this.fail(request, `the broker is ${state}`);
      else if (call.deadline <= at) this.fail(request, `no ${awaited} before the deadline`);
      else if (message && message.sentAt + unansweredMs <= at) unanswered?.(request, at - message.sentAt);
    }
    if (this.pending.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
