import type { Call, Span, Tracing } from '@receipts/kernel';
import { packEnvelope, unpackEnvelope, type RequestHeader } from '../message/envelope';
import { envelopeContentType } from '../message/properties';
import { requestFacts } from '../message/request';
import { messageSpan, type Destination, type MessageFacts } from '../reporting/spans';
import type { Job } from './handler-queue';
import { spanErrorOf, type Outcome } from './outcome';
import type { Delivery } from './queue-consumer';
import type { RetryableJob } from './retrying-consumer';

/** One request or command of a delivered message, until its outcome. */
export class RequestJob implements Job, RetryableJob {
  span: Span | undefined;
  isSettled = false;

  constructor(
    readonly delivery: Delivery,
    readonly header: RequestHeader,
    readonly body: Buffer,
    public call: Call,
  ) {}

  get facts(): MessageFacts {
    return requestFacts(this.header.type, this.header.call);
  }

  startSpan(tracing: Tracing | undefined, destination: Destination): void {
    if (!tracing) return;
    this.span = messageSpan(tracing, 'process', destination, this.facts);
    if (this.span) this.call = { ...this.call, traceparent: this.span.traceparent };
  }

  endSpan(outcome: Outcome): void {
    this.span?.end(spanErrorOf(outcome));
  }

  serialize(): { readonly content: Buffer; readonly contentType: string } {
    const content = packEnvelope([{ head: JSON.stringify(this.header), body: this.body }]);
    return { content, contentType: envelopeContentType };
  }
}

/** @throws Error when the message is not a valid envelope */
export function unpackJobs(delivery: Delivery): RequestJob[] {
  const items = unpackEnvelope<RequestHeader>(delivery.message.content);
  return items.map(({ header, body }) => new RequestJob(delivery, header, body, header.call));
}
