import type { IncomingMessage, ServerResponse } from 'node:http';
import { newId } from '@receipts/kernel';
import type { Reservation } from './body-budget';
import type { Quota } from './quota';

/** The outcome of a request, for its span. */
export interface RequestEnd {
  readonly method: string;
  /** Empty if no route matched. */
  readonly route: string;
  readonly status: number;
  readonly retailer: string;
  readonly requestId: string;
}

/** The span of a request. */
export interface RequestTrace {
  readonly traceId: string;
  readonly traceparent: string;
  /** Called once, with the answer; absent where tracing is off. */
  readonly ended?: (end: RequestEnd) => void;
}

/** @param parent the caller's `traceparent`, unchecked. */
export type TraceOf = (parent: string | undefined) => RequestTrace;

const saneRequestId = /^[A-Za-z0-9._-]{1,128}$/;

/** The state of one request while it is answered. */
export class Exchange {
  readonly requestId: string;
  readonly trace: RequestTrace;
  readonly startedAt = performance.now();
  /** Still percent-encoded. */
  path = '';
  queryText = '';
  /** The pattern of the route, for the log. The path itself may contain personal data. */
  route = '';
  retailer = '';
  principal = '';
  pretty = false;
  /** True if the route can answer with HTML and the caller prefers it: errors are then HTML, too. */
  prefersPage = false;
  /** Set where the route has versions; returned in the answer. */
  version: string | undefined;
  /** True until `100 Continue` is sent to a caller that sent `Expect: 100-continue`. */
  expectsInvitation = false;
  /** True if the connection is closed after the answer, because the rest of it is not trusted. */
  closing = false;
  answered = false;
  /** Names and values of the headers that let pages of other origins read the answer; see `CrossOrigin`. */
  crossOrigin: string[] | undefined;
  /** The key of the rate limit; empty until the caller is authenticated. */
  limitedAs = '';
  /** The memory reserved for its body. */
  reservation: Reservation | undefined;
  /** What is left of the route's own rate limit. */
  quota: Quota | undefined;
  /** Called once, after the answer. */
  onAnswered: (() => void) | undefined;
  /** Releases the retailer's place among the requests in progress; called once, after the answer. */
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

  /** True if a part of the request's body has not been read. */
  get hasUnreadBody(): boolean {
    const { headers, complete } = this.req;
    if (complete) return false;
    const length = headers['content-length'];
    return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
  }
}
