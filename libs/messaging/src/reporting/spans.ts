import type { Span, Tracing } from '@receipts/kernel';

/** Where a message goes, or where it came from, as OpenTelemetry's conventions for RabbitMQ name it. */
export interface Destination {
  /** Empty for the default exchange. */
  readonly exchange: string;
  readonly key: string;
  /** Where a message was taken from a queue of another name than its key. */
  readonly queue?: string;
}

/** What a span tells of one message, or of one item of it. Its content is never among it. */
export interface MessageFacts {
  /** The contract's name, or the event's type. */
  readonly type: string;
  readonly id: string;
  /** The request in which it all began. */
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

function factsOf({ id, conversationId, retailer }: MessageFacts) {
  return {
    'messaging.message.id': id,
    'messaging.message.conversation_id': conversationId,
    'receipts.retailer': retailer,
  };
}

function spanOf(
  tracing: Tracing | undefined,
  operation: 'send' | 'process',
  destination: Destination,
  facts: MessageFacts,
): Span | undefined {
  // What nobody traces, such as a service's own look at its neighbour, begins no trace.
  if (!tracing || facts.traceparent === undefined) return undefined;
  const attributes = attributesOf(operation, destination, facts.type);
  return tracing.start(`${operation} ${attributes['messaging.destination.name']}`, {
    kind: operation === 'send' ? 'producer' : 'consumer',
    parent: facts.traceparent,
    attributes: { ...attributes, ...factsOf(facts) },
  });
}

/** From handing a request over to its answer, or its confirm. Undefined where nothing is traced. */
export function sendSpan(
  tracing: Tracing | undefined,
  destination: Destination,
  facts: MessageFacts,
): Span | undefined {
  return spanOf(tracing, 'send', destination, facts);
}

/** The handling of one message or one item of it. Undefined where nothing is traced. */
export function processSpan(
  tracing: Tracing | undefined,
  destination: Destination,
  facts: MessageFacts,
): Span | undefined {
  return spanOf(tracing, 'process', destination, facts);
}

/** By the flags at its end: what begins with an unsampled piece of work is not recorded either. */
function isSampled(traceparent: string | undefined): boolean {
  return traceparent !== undefined && (parseInt(traceparent.slice(-2), 16) & 1) === 1;
}

/** The publishing of a message of several events: a part of the first one's trace, linked to the others'. */
export function publishSpan(
  tracing: Tracing | undefined,
  destination: Destination,
  events: readonly MessageFacts[],
): Span | undefined {
  if (!tracing) return undefined;
  const traced = events.filter(({ traceparent }) => isSampled(traceparent));
  const [first, ...others] = traced;
  if (!first) return undefined;
  const span = spanOf(tracing, 'send', destination, first);
  for (const { traceparent } of others) span?.link(traceparent ?? '');
  if (events.length > 1) span?.set({ 'messaging.batch.message_count': events.length });
  return span;
}

/**
 * Runs the handling of messages as the work of their span. Several that are handled in one go have a span for the batch: a part
 * of the first one's trace, which links to all of them, as they do to it.
 * @param spans those of the messages; undefined for one that is not traced
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

/** The class of an unexpected error; its text may tell too much. */
export function errorTypeOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
