import type { Call, Contract, ServiceError, Tracing } from '@receipts/kernel';
import { Admission, unavailableError } from './admission';
import { Collector } from './collector';
import type { Link } from '../connection/link';
import type { Slot } from '../connection/slot';
import { sendSpan } from '../reporting/spans';
import { factsOf, Flight, Outgoing, type Failure, type Outcome, type RawRequest } from './outgoing';

/** The precision of deadlines, which share one timer. */
const deadlinePrecisionMs = 20;

export interface DispatchOptions<T> {
  readonly link: Link;
  /** The channel for sending. */
  readonly slot: () => Slot | undefined;
  readonly now: () => number;
  readonly tracing: Tracing | undefined;
  /** The exchange of the messages, for their spans; empty for the default exchange. */
  readonly exchange: string;
  /** What settles an item; named in the error of an item that expires. */
  readonly awaited: 'answer' | 'confirm';
  /** Sends one message. Its items are settled later, or sent again. */
  readonly transmit: (destination: string, items: readonly Outgoing<T>[]) => void;
}

/**
 * The common part of requests and confirmed commands. An item is admitted and serialized, waits for a message, and is
 * settled exactly once: by its reply or confirm, at its deadline, or when the broker is lost.
 */
export class Dispatch<T> {
  readonly #options: DispatchOptions<T>;
  readonly #admission: Admission;
  /** Unsettled items by their number in the envelope. */
  readonly #items = new Map<number, Outgoing<T>>();
  readonly #collectors = new Map<string, Collector<Outgoing<T>>>();
  #lastId = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: DispatchOptions<T>) {
    this.#options = options;
    this.#admission = new Admission(options.link, options.slot, options.now);
    options.link.onChange(() => this.#linkChanged());
  }

  /**
   * Sends an item to a destination.
   * @param ended called with the status before the promise settles; 200 for success
   * @throws ServiceError the owner's refusal, or 503 `unavailable` when there is no reply or confirm in time
   */
  submit(
    destination: string,
    contract: Contract,
    request: RawRequest,
    call: Call,
    ended?: (status: number) => void,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      if (call.deadline <= this.#options.now()) throw unavailableError('the deadline has passed');
      this.#admission.enter(request.body?.length ?? 0);
      const { tracing, exchange } = this.#options;
      const span = tracing && sendSpan(tracing, { exchange, key: destination }, factsOf(contract, call));
      const sent = span ? { ...call, traceparent: span.traceparent } : call;
      const item = new Outgoing<T>(++this.#lastId, contract, request, sent, (outcome) => {
        this.#items.delete(item.id);
        this.#admission.leave(item.body.length);
        if (outcome.kind === 'done') {
          span?.end();
          ended?.(200);
          return resolve(outcome.value);
        }
        const error = this.#errorOf(contract, outcome);
        span?.end(error.status >= 500 ? String(error.status) : undefined);
        ended?.(error.status);
        reject(error);
      });
      this.#items.set(item.id, item);
      this.#timer ??= setInterval(() => this.#expire(), deadlinePrecisionMs);
      this.#collector(destination).add(item);
    });
  }

  /** Settles an item by its number; items that are already settled are ignored. */
  settle(id: number, outcome: Outcome<T>): void {
    this.#items.get(id)?.settle(outcome);
  }

  /** Fails all items that were sent and wait for a response. */
  failSent(why: string): void {
    for (const item of this.#items.values()) if (item.flight) item.settle({ kind: 'failed', why });
  }

  /** Sends an item again; false when the broker has been unavailable for too long. */
  sendAgain(destination: string, item: Outgoing<T>): boolean {
    if (!this.#admission.isWorthWaiting) return false;
    item.flight?.itemDone();
    item.flight = undefined;
    this.#collector(destination).add(item);
    return true;
  }

  #collector(destination: string): Collector<Outgoing<T>> {
    let collector = this.#collectors.get(destination);
    if (!collector) {
      collector = new Collector(
        (items) => this.#transmit(destination, items),
        () => this.#admission.canWrite,
      );
      this.#collectors.set(destination, collector);
    }
    return collector;
  }

  #transmit(destination: string, items: readonly Outgoing<T>[]): void {
    const collector = this.#collector(destination);
    const flight = new Flight(items.length, () => collector.messageDone());
    for (const item of items) item.flight = flight;
    this.#options.transmit(destination, items);
  }

  #errorOf({ name }: Contract, outcome: Failure): ServiceError {
    switch (outcome.kind) {
      case 'refused':
        return outcome.error;
      case 'returned':
        return unavailableError(`nobody serves ${name}`);
      case 'expired':
        return unavailableError(`no ${this.#options.awaited} before the deadline`);
      case 'failed':
        return unavailableError(outcome.why);
    }
  }

  #expire(): void {
    const now = this.#options.now();
    for (const item of this.#items.values()) {
      if (item.call.deadline <= now) item.settle({ kind: 'expired' });
    }
    if (this.#items.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #linkChanged(): void {
    if (this.#admission.canWrite) for (const collector of this.#collectors.values()) collector.resume();
    // A blocked broker sends neither replies nor confirms, so waiting is pointless.
    else if (this.#options.link.state === 'blocked') this.#failAll('the broker is blocked');
    else this.#failLater();
  }

  #failAll(why: string): void {
    for (const item of this.#items.values()) item.settle({ kind: 'failed', why });
  }

  /** Fails the items only if the connection does not come back soon. */
  #failLater(): void {
    const { waitUntil } = this.#admission;
    if (waitUntil === undefined) return;
    const ms = Math.max(0, waitUntil - this.#options.now());
    setTimeout(() => {
      if (!this.#admission.isOpen) this.#failAll('the broker is down');
    }, ms).unref();
  }
}
