import type { Call, Contract, ServiceError } from '@receipts/kernel';
import type { Parcel } from './collector';
import { noBytes, type Packed, type RequestHeader } from '../message/envelope';
import type { MessageFacts } from '../reporting/spans';

/** A request with a serialized body, which is passed on without parsing or serializing it again. */
export interface RawRequest {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly headers?: unknown;
  readonly contentType?: string;
  readonly body?: Buffer;
}

/** @param input the members that the contract declares; a body that is not ready bytes is printed as JSON */
export function requestOf(input: object): RawRequest {
  const { params, query, headers, contentType, body } = input as Omit<RawRequest, 'body'> & {
    readonly body?: unknown;
  };
  const bytes = body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  return {
    ...{ params, query, headers },
    ...(contentType !== undefined && { contentType }),
    ...(bytes !== undefined && { body: bytes }),
  };
}

/** The facts of a request for its span. */
export function factsOf(contract: { readonly name: string }, call: Call): MessageFacts {
  const { id, requestId, retailer, traceparent } = call;
  return { type: contract.name, id, conversationId: requestId, retailer, traceparent };
}

/** Why an item ended without a result. */
export type Failure =
  /** The owner replied with an error. */
  | { readonly kind: 'refused'; readonly error: ServiceError }
  /** The broker returned the message because no queue accepts it. */
  | { readonly kind: 'returned' }
  | { readonly kind: 'expired' }
  /** The broker or the connection failed. The item may have reached its owner. */
  | { readonly kind: 'failed'; readonly why: string };

/** How an item ended. `T` is the caller's result on success. */
export type Outcome<T> = { readonly kind: 'done'; readonly value: T } | Failure;

/** A message that waits for its response; it is done when each of its items is. */
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

/** An item from the call until it is settled by a reply or confirm. */
export class Outgoing<T> implements Packed, Parcel {
  readonly head: string;
  readonly body: Buffer;
  readonly bytes: number;
  /** The message that contains the item; undefined while the item waits for one. */
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

  /** Only the first outcome counts. */
  settle(outcome: Outcome<T>): void {
    if (this.#settled) return;
    this.#settled = true;
    this.flight?.itemDone();
    this.#end(outcome);
  }
}
