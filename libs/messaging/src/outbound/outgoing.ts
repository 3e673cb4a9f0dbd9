import type { Call, Contract } from '@receipts/kernel';
import type { Parcel } from './collector';
import type { DeadlineWatch, Waiting } from './deadline-watch';
import { noBytes, type Packed } from '../message/envelope';
import { printHeader } from '../message/print-header';

/** A request of which the body is ready; nothing in it is parsed or printed on the way. */
export interface RawRequest {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly headers?: unknown;
  readonly contentType?: string;
  readonly body?: Buffer;
}

/** One message on its way: it is done when each of its items is. */
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
export abstract class Outgoing implements Packed, Parcel, Waiting {
  readonly head: string;
  readonly body: Buffer;
  readonly bytes: number;
  readonly deadline: number;
  flight: Flight | undefined;
  #settled = false;

  constructor(
    readonly id: number,
    readonly contract: Contract,
    request: RawRequest,
    readonly call: Call,
    private readonly watch: DeadlineWatch,
  ) {
    const { params, query, headers, contentType, body = noBytes } = request;
    const args = { params, query, headers, ...(contentType !== undefined && { contentType }) };
    this.head = printHeader({ id, type: contract.name, args, call, n: body.length });
    this.body = body;
    this.bytes = this.head.length + body.length;
    this.deadline = call.deadline;
    watch.add(this);
  }

  get settled(): boolean {
    return this.#settled;
  }

  /** True the first time: whoever comes later has lost the race. */
  protected settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.watch.remove(this);
    this.flight?.itemDone();
    return true;
  }

  abstract expire(): void;
}
