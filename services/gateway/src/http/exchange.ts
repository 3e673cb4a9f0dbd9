import type { IncomingMessage, ServerResponse } from 'node:http';
import { newId } from '@receipts/kernel';
import type { Reservation } from './body-budget';
import type { Quota } from './quota';

/** How a request ended, for its span. */
export interface RequestEnd {
  readonly method: string;
  /** Empty where no route was found. */
  readonly route: string;
  readonly status: number;
  readonly retailer: string;
  readonly requestId: string;
}

/** The piece of work in a trace that a request is. */
export interface RequestTrace {
  readonly traceId: string;
  readonly traceparent: string;
  /** Called once, with the answer; absent where nothing is recorded. */
  readonly ended?: (end: RequestEnd) => void;
}

/** @param parent the caller's `traceparent`, unchecked. */
export type TraceOf = (parent: string | undefined) => RequestTrace;

const saneRequestId = /^[A-Za-z0-9._-]{1,128}$/;

/** Everything that is known of one request while it is answered. */
export class Exchange {
  readonly requestId: string;
  readonly trace: RequestTrace;
  readonly startedAt = performance.now();
  /** Still percent-encoded. */
  path = '';
  queryText = '';
  /** The pattern of the route, for the log: the path itself may name a person. */
  route = '';
  retailer = '';
  principal = '';
  pretty = false;
  /** True where the route has pages and the caller would rather see one: refusals are then pages too. */
  prefersPage = false;
  /** Set where the interface has versions; echoed in the answer. */
  version: string | undefined;
  /** True until the caller that sent Expect: 100-continue is invited to send the body. */
  expectsInvitation = false;
  /** Set when the rest of the connection is not to be trusted. */
  closing = false;
  answered = false;
  /** Who shares limits with this request; known once it was found out who calls. */
  limitedAs = '';
  /** The place in memory that its body has taken. */
  reservation: Reservation | undefined;
  /** What the route's own limit leaves its caller. */
  quota: Quota | undefined;
  /** Called once, with the answer. */
  onAnswered: (() => void) | undefined;
  /** Gives back the retailer's place; called once, with the answer. */
  leaveShare: (() => void) | undefined;

  constructor(
    readonly req: IncomingMessage,
    readonly res: ServerResponse,
    traceOf: TraceOf,
  ) {
    const { headers } = req;
    const given = headers['request-id'];
    this.requestId = typeof given === 'string' && saneRequestId.test(given) ? given : newId();
    const parent = headers['traceparent'];
    this.trace = traceOf(typeof parent === 'string' ? parent : undefined);
  }

  get traceparent(): string {
    return this.trace.traceparent;
  }

  /** True when the request has a body of which something has not been read. */
  get hasUnreadBody(): boolean {
    const { headers, complete } = this.req;
    if (complete) return false;
    const length = headers['content-length'];
    return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
  }
}
