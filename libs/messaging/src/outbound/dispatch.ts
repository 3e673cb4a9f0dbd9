import type { Call, Contract, ServiceError, Tracing } from '@receipts/kernel';
import { Admission, unavailableError } from './admission';
import { Collector } from './collector';
import type { Link } from '../connection/link';
import type { Slot } from '../connection/slot';
import { sendSpan } from '../reporting/spans';
import { factsOf, Flight, Outgoing, type Failure, type Outcome, type RawRequest } from './outgoing';

/** Deadlines are kept to this precision: one timer serves them all. */
const deadlinePrecisionMs = 20;

export interface DispatchOptions<T> {
  readonly link: Link;
  /** The channel on which messages are written. */
  readonly slot: () => Slot | undefined;
  readonly now: () => number;
  readonly tracing: Tracing | undefined;
  /** Through which messages go, for their spans; empty for the default one. */
  readonly exchange: string;
  /** What ends an item, named in the error of one that gets none in time. */
  readonly awaited: 'answer' | 'confirm';
  /** Writes one message. Its items are settled later, or sent again. */
  readonly transmit: (destination: string, items: readonly Outgoing<T>[]) => void;
}

/**
 * What requests and confirmed commands have in common, from the call to its end: an item is admitted and printed, waits for a
 * message to travel in, and is settled once, by its answer or confirm, by its deadline, or by the loss of the broker.
 */
export class Dispatch<T> {
  readonly #options: DispatchOptions<T>;
  readonly #admission: Admission;
  /** Everything that is not settled, by the number that the envelope gives it. */
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
   * @param ended told of the outcome before the caller is: the status is 200 for a success
   * @throws ServiceError: the owner's refusal, or 503 `unavailable` when there is no answer or confirm in time
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

  /** Settles an item by its number; one that is settled already is no longer known. */
  settle(id: number, outcome: Outcome<T>): void {
    this.#items.get(id)?.settle(outcome);
  }

  /** Ends everything that was written and waits for an answer. */
  failSent(why: string): void {
    for (const item of this.#items.values()) if (item.flight) item.settle({ kind: 'failed', why });
  }

  /** Sends an item once more, unless the broker is away for too long. */
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
    // A blocked broker sends no answers and no confirms, so nobody is kept waiting.
    else if (this.#options.link.state === 'blocked') this.#failAll('the broker is blocked');
    else this.#failLater();
  }

  #failAll(why: string): void {
    for (const item of this.#items.values()) item.settle({ kind: 'failed', why });
  }

  /** A connection that comes back soon is waited for. */
  #failLater(): void {
    const { waitUntil } = this.#admission;
    if (waitUntil === undefined) return;
    const ms = Math.max(0, waitUntil - this.#options.now());
    setTimeout(() => {
      if (!this.#admission.isOpen) this.#failAll('the broker is down');
    }, ms).unref();
  }
}
