import type { Options } from 'amqplib';
import type { Call, CloudEvent } from '@receipts/kernel';

/** Names of our own message headers. */
export const headerNames = {
  retailer: 'retailer',
  traceparent: 'traceparent',
  /** How often a handler has failed on it. */
  attempts: 'attempts',
  firstFailedAt: 'first-failed-at',
  lastFailedAt: 'last-failed-at',
  reason: 'reason',
  /** The queue from which it was taken. */
  queue: 'original-queue',
} as const;

export const envelopeContentType = 'application/vnd.receipts.envelope';
export const eventContentType = 'application/cloudevents+json';

const seconds = (ms: number) => Math.floor(ms / 1000);

interface Sent {
  readonly contract: { readonly name: string };
  readonly call: Call;
}

/** What the broker's tools see of an envelope: the facts of its first item. The truth is in the envelope. */
export function propertiesOf(items: readonly Sent[], service: string, nowMs: number): Options.Publish {
  const first = items[0] as Sent;
  return {
    messageId: first.call.id,
    type: first.contract.name,
    correlationId: first.call.requestId,
    timestamp: seconds(nowMs),
    contentType: envelopeContentType,
    appId: service,
    headers: { [headerNames.retailer]: first.call.retailer },
  };
}

/** The attributes of a CloudEvent that are mirrored into the message, as the description of events promises. */
export function eventProperties(event: CloudEvent, service: string): Options.Publish {
  return {
    messageId: event.id,
    type: event.type,
    timestamp: seconds(Date.parse(event.time)),
    correlationId: event.correlationid,
    contentType: eventContentType,
    appId: service,
    persistent: true,
    headers: {
      [headerNames.retailer]: event.retailer,
      ...(event.traceparent !== undefined && { [headerNames.traceparent]: event.traceparent }),
    },
  };
}
