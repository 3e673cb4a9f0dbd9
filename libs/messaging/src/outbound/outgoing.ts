import type { Call, Contract, ServiceError } from '@receipts/kernel';
import type { Parcel } from './collector';
import { noBytes, type Packed, type RequestHeader } from '../message/envelope';
import type { MessageFacts } from '../reporting/spans';

/** A request of which the body is ready; nothing in it is parsed or printed on the way. */
export interface RawRequest {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly headers?: unknown;
  readonly contentType?: string;
  readonly body?: Buffer;
}

/** What a span tells of a request. */
export function factsOf(contract: { readonly name: string }, call: Call): MessageFacts {
  const { id, requestId, retailer, traceparent } = call;
  return { type: contract.name, id, conversationId: requestId, retailer, traceparent };
}

/** Why an item ended without a result. */
export type Failure =
  /** The owner has answered with an error. */
  | { readonly kind: 'refused'; readonly error: ServiceError }
  /** The broker has sent it back: no queue takes it. */
  | { readonly kind: 'returned' }
  | { readonly kind: 'expired' }
  /** The broker or the connection failed. The item may have reached its owner. */
  | { readonly kind: 'failed'; readonly why: string };

/** How an item ended. `T` is what its caller is given when it went well. */
export type Outcome<T> = { readonly kind: 'done'; readonly value: T } | Failure;

/** One message that waits for an answer or a confirm: it is done when each of its items is. */
export class Flight {
  #left: number;
  readonly #done: () => void;

  constructor(items: number, done: () => void) {
    this.#left = items;
    this.#done = done;
  }

  itemDone(): void {
    if (--this.#left === 0) this.#done();
  }
}

/** An item that waits for an answer or a confirm, from the call to its end. */
export class Outgoing<T> implements Packed, Parcel {
  readonly head: string;
  readonly body: Buffer;
  readonly bytes: number;
  /** The message in which it travels; undefined while it waits for one. */
  flight: Flight | undefined;
  #settled = false;
  readonly #end: (outcome: Outcome<T>) => void;

  constructor(
    readonly id: number,
    readonly contract: Contract,
    request: RawRequest,
    readonly call: Call,
    end: (outcome: Outcome<T>) => void,
  ) {
    const { params, query, headers, contentType, body = noBytes } = request;
    const args = { params, query, headers, ...(contentType !== undefined && { contentType }) };
    this.head = JSON.stringify({
      id,
      type: contract.name,
      args,
      call,
      n: body.length,
    } satisfies RequestHeader);
    this.body = body;
    this.bytes = this.head.length + body.length;
    this.#end = end;
  }

  get settled(): boolean {
    return this.#settled;
  }

  /** The first outcome counts; later ones are ignored. */
  settle(outcome: Outcome<T>): void {
    if (this.#settled) return;
    this.#settled = true;
    this.flight?.itemDone();
    this.#end(outcome);
  }
}
