import type { MessageProperties, Options } from 'amqplib';
import type { Call, SerializedEvent } from '@receipts/kernel';

/** The names of the platform's own message headers. */
export const headerNames = {
  retailer: 'retailer',
  traceparent: 'traceparent',
  /** The number of failed handler attempts. */
  attempts: 'attempts',
  /** True for the message that is retried at short intervals while a dependency is unavailable. */
  trial: 'trial',
  firstFailedAt: 'first-failed-at',
  lastFailedAt: 'last-failed-at',
  reason: 'reason',
  /** The queue from which the message was consumed. */
  queue: 'original-queue',
} as const;

export const envelopeContentType = 'application/vnd.receipts.envelope';
export const eventContentType = 'application/cloudevents+json';
export const eventBatchContentType = 'application/cloudevents-batch+json';

const seconds = (ms: number) => Math.floor(ms / 1000);

interface PackedItem {
  readonly contract: { readonly name: string };
  readonly call: Call;
}

/** Message properties for the broker's tools, taken from the first item. Consumers only read the envelope. */
export function propertiesOf(items: readonly PackedItem[], service: string, nowMs: number): Options.Publish {
  const first = items[0] as PackedItem;
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

/** A message with several events has the id, time and type of its first event. */
export function eventBatchProperties(first: SerializedEvent, service: string): Options.Publish {
  return {
    messageId: first.id,
    type: first.type,
    timestamp: seconds(first.at),
    contentType: eventBatchContentType,
    appId: service,
    persistent: true,
  };
}

/** The event attributes that are mirrored into the message, as the event documentation states. */
export function eventProperties(event: SerializedEvent, service: string): Options.Publish {
  const { retailer, traceparent } = event;
  return {
    ...eventBatchProperties(event, service),
    contentType: eventContentType,
    correlationId: event.correlationId,
    headers: {
      [headerNames.retailer]: retailer,
      ...(traceparent !== undefined && { [headerNames.traceparent]: traceparent }),
    },
  };
}

type Headers = Readonly<Record<string, unknown>>;

export function headersOf(properties: Pick<MessageProperties, 'headers'>): Headers {
  return properties.headers ?? {};
}

/** The value of a property or header; undefined if it is absent or not a string. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

const keptProperties = ['messageId', 'correlationId', 'contentType', 'appId', 'type'] as const;

/** The properties that a message keeps when it moves to another queue: all except those that the broker added. */
export function keptOf(
  properties: MessageProperties,
): Omit<Options.Publish, 'headers'> & { readonly headers: Headers } {
  const kept: Omit<Options.Publish, 'headers'> = {};
  for (const name of keptProperties) {
    const value = textOf(properties[name]);
    if (value !== undefined) kept[name] = value;
  }
  const timestamp: unknown = properties.timestamp;
  if (typeof timestamp === 'number') kept.timestamp = timestamp;
  const headers = Object.entries(headersOf(properties)).filter(([name]) => !name.startsWith('x-'));
  return { ...kept, headers: Object.fromEntries(headers) };
}
