import type { Span, Tracing } from '@receipts/kernel';

/** The destination or source of a message, in the terms of OpenTelemetry's conventions for RabbitMQ. */
export interface Destination {
  /** Empty for the default exchange. */
  readonly exchange: string;
  readonly key: string;
  /** Set when a message was consumed from a queue whose name differs from the routing key. */
  readonly queue?: string;
}

/** The attributes of a message, or one item of it, that a span shows. They never include the content. */
export interface MessageFacts {
  /** The contract's name, or the event's type. */
  readonly type: string;
  readonly id: string;
  /** The id of the request that started the conversation. */
  readonly conversationId: string;
  readonly retailer: string;
  readonly traceparent: string | undefined;
}

function attributesOf(operation: 'send' | 'process', destination: Destination, type: string) {
  const { exchange, key, queue = '' } = destination;
  return {
    'messaging.system': 'rabbitmq',
    'messaging.operation.name': operation,
    'messaging.operation.type': operation,
    'messaging.destination.name': [exchange, key, queue].filter(Boolean).join(':'),
    'messaging.rabbitmq.destination.routing_key': key,
    'receipts.message.type': type,
  };
}

/**
 * Starts the span of a message, or of one item of it: `send` until its reply or confirm, `process` while it is handled.
 * Undefined if it is not traced.
 */
export function messageSpan(
  tracing: Tracing | undefined,
  operation: 'send' | 'process',
  destination: Destination,
  facts: MessageFacts,
): Span | undefined {
  // Untraced messages, such as health checks between services, do not start a trace.
  if (!tracing || facts.traceparent === undefined) return undefined;
  const attributes = attributesOf(operation, destination, facts.type);
  return tracing.start(`${operation} ${attributes['messaging.destination.name']}`, {
    kind: operation === 'send' ? 'producer' : 'consumer',
    parent: facts.traceparent,
    attributes: {
      ...attributes,
      'messaging.message.id': facts.id,
      'messaging.message.conversation_id': facts.conversationId,
      'receipts.retailer': facts.retailer,
    },
  });
}

/**
 * Starts the span of publishing a message with several events: part of the first event's trace and linked to the others.
 */
export function publishSpan(
  tracing: Tracing | undefined,
  destination: Destination,
  events: readonly MessageFacts[],
): Span | undefined {
  if (!tracing) return undefined;
  // Work that continues an unsampled trace is not recorded. The flag is at the end.
  const traced = events.filter(({ traceparent = '' }) => (parseInt(traceparent.slice(-2), 16) & 1) === 1);
  const [first, ...others] = traced;
  if (!first) return undefined;
  const span = messageSpan(tracing, 'send', destination, first);
  for (const { traceparent } of others) span?.link(traceparent ?? '');
  if (events.length > 1) span?.set({ 'messaging.batch.message_count': events.length });
  return span;
}

/**
 * Runs the handling of messages within their span. Messages that are handled together get a batch span, which is part
 * of the first message's trace; the batch span and the messages' spans link to each other.
 * @param spans the spans of the messages; undefined for an untraced one
 */
export function handledIn<T>(
  tracing: Tracing | undefined,
  destination: Destination,
  type: string,
  spans: readonly (Span | undefined)[],
  work: () => Promise<T>,
): Promise<T> {
  if (!tracing) return work();
  const recorded = spans.filter((span) => span?.isRecorded === true) as Span[];
  const [first] = recorded;
  if (!first) return work();
  if (spans.length === 1) return tracing.run(first, work);
  const attributes = attributesOf('process', destination, type);
  const batch = tracing.start(`process ${attributes['messaging.destination.name']}`, {
    kind: 'consumer',
    parent: first.traceparent,
    links: recorded.map(({ traceparent }) => traceparent),
    attributes: { ...attributes, 'messaging.batch.message_count': spans.length },
  });
  for (const span of recorded) span.link(batch.traceparent);
  return tracing.run(batch, work).finally(() => batch.end());
}

/** The class of an unexpected error; its text may contain confidential data. */
export function errorTypeOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
