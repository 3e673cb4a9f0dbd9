import type { Options } from 'amqplib';
import { fillMessages, type MessageLimits, groupBy } from '@receipts/concurrency';
import { type SerializedEvent } from '@receipts/kernel';
import type { OutgoingMessage } from '../connection/supervised-channel';
import { eventBatchProperties, eventProperties } from '../message/properties';
import type { PublishOutcome } from '../reporting/metrics';
import { publishSpan, type MessageFacts } from '../reporting/spans';
import type { BrokerContext } from '../topology/broker-context';
import type { ConfirmedPublisher } from './confirmed-publisher';

/** The maximum number of unconfirmed messages of one `publish` call to one destination. */
const unconfirmedMessagesMax = 500;
/** The maximum number of destinations whose binding state is cached; beyond that, the cache is cleared. */
const destinationsKnownMax = 10_000;

/** An event and its index in the list passed to `publish`. */
interface Indexed {
  readonly event: SerializedEvent;
  readonly index: number;
}

/** How the events of one exchange become messages. */
interface Format {
  readonly exchange: string;
  readonly limits: MessageLimits;
  readonly content: (events: readonly SerializedEvent[]) => string;
  readonly properties: (first: SerializedEvent, service: string) => Options.Publish;
}

/** Events with the same routing: if the first event has no bound queue, the others have none either. */
interface Group {
  readonly destination: string;
  readonly format: Format;
  readonly events: readonly Indexed[];
}

/**
 * Publishes events twice: in batches of one type for our own services, and one by one for integrators. If no queue is
 * bound, this costs one message per batch: the first is `mandatory`, and if the broker returns it, the others are not
 * sent. Bound queues do not miss any events, because every batch checks again; the cached result only decides whether
 * the other messages wait for the response.
 */
export class EventPublisher {
  private readonly internal: Format;
  private readonly public: Format;
  private readonly isBound = new Map<string, boolean>();

  constructor(
    private readonly context: BrokerContext,
    private readonly publisher: ConfirmedPublisher,
  ) {
    this.internal = {
      exchange: context.names.internalEvents,
      limits: { itemsMax: 256, bytesMax: 256 * 1024 },
      content: (events) => `[${events.map(({ text }) => text).join(',')}]`,
      properties: eventBatchProperties,
    };
    this.public = {
      exchange: context.names.events,
      limits: { itemsMax: 1, bytesMax: 0 },
      content: ([event]) => event?.text ?? '',
      properties: eventProperties,
    };
  }

  /** True for each event that the broker has confirmed or that has no bound queue. Never rejects. */
  async publish(events: readonly SerializedEvent[]): Promise<readonly boolean[]> {
    const isSafe = events.map(() => true);
    const indexed = events.map((event, index) => ({ event, index }));
    const byType = groupBy(indexed, ({ event }) => event.type);
    // An integrator's binding may select a single retailer.
    const byRetailer = groupBy(indexed, ({ event: { isInternal, type, retailer } }) =>
      isInternal ? undefined : `${type}/${retailer}`,
    );
    const groups = (format: Format, members: Map<string, Indexed[]>): Group[] =>
      [...members].map(([key, list]) => ({ format, destination: `${format.exchange}/${key}`, events: list }));
    const settle = (part: readonly Indexed[], outcome: PublishOutcome) => {
      if (!isAnswered(outcome)) for (const { index } of part) isSafe[index] = false;
    };
    const all = [...groups(this.internal, byType), ...groups(this.public, byRetailer)];
    await Promise.all(all.map((group) => this.publishGroup(group, settle)));
    return isSafe;
  }

  private async publishGroup(
    { destination, format, events }: Group,
    settle: (part: readonly Indexed[], outcome: PublishOutcome) => void,
  ): Promise<void> {
    const isBound = this.isBound.get(destination) === true;
    // Serialization is most of the cost of events, so only the first is serialized until a queue is known to be bound.
    const isWhole = isBound || events[0]?.event.isInternal === true;
    const [first, ...others] = isWhole ? this.split(format, events) : [events.slice(0, 1)];
    if (!first) return;
    const firstSent = this.send(format, first, true).then((outcome) => {
      settle(first, outcome);
      if (isAnswered(outcome)) this.learn(destination, outcome === 'confirmed');
      return outcome;
    });
    if (!isBound) {
      const outcome = await firstSent;
      if (outcome === 'returned') return;
      if (outcome !== 'confirmed') return settle(events, outcome);
    }
    const rest = isWhole ? others : this.split(format, events.slice(1));
    while (rest.length > 0) {
      const sent = rest.splice(0, unconfirmedMessagesMax);
      await Promise.all(sent.map(async (part) => settle(part, await this.send(format, part, false))));
    }
    await firstSent;
  }

  private split({ limits }: Format, events: readonly Indexed[]): Indexed[][] {
    return fillMessages(events, limits, ({ event }) => event.text.length);
  }

  private learn(destination: string, isBound: boolean): void {
    if (this.isBound.size >= destinationsKnownMax) this.isBound.clear();
    this.isBound.set(destination, isBound);
  }

  private async send(format: Format, part: readonly Indexed[], mandatory: boolean): Promise<PublishOutcome> {
    const { metrics, tracing, service } = this.context;
    if (!this.publisher.channel.canPublish) return 'unknown';
    const events = part.map(({ event }) => event);
    const first = events[0] as SerializedEvent;
    const message: OutgoingMessage = {
      exchange: format.exchange,
      key: first.type,
      content: Buffer.from(format.content(events)),
      properties: { ...format.properties(first, service), mandatory },
    };
    metrics.published?.('event', format.exchange, events.length);
    const span = tracing && publishSpan(tracing, message, events.map(eventFacts));
    const outcome = await this.publisher.publish('event', message);
    span?.end(isAnswered(outcome) ? undefined : outcome);
    return outcome;
  }
}

/** Whether the broker has accepted the message or has no bound queue for it. */
const isAnswered = (outcome: PublishOutcome): boolean => outcome === 'confirmed' || outcome === 'returned';

function eventFacts({ id, type, retailer, correlationId, traceparent }: SerializedEvent): MessageFacts {
  return { id, type, retailer, traceparent, conversationId: correlationId };
}
