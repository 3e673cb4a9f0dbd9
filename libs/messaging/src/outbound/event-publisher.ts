import type { PrintedEvent, Tracing } from '@receipts/kernel';
import { fillMessages, groupBy } from '../message/batches';
import { eventBatchProperties, eventProperties } from '../message/properties';
import type { MessagingMetrics, PublishOutcome } from '../reporting/metrics';
import { publishSpan, type MessageFacts } from '../reporting/spans';
import type { TopologyNames } from '../topology/topology-names';
import type { ConfirmedPublisher, Publication } from './confirmed-publisher';

/** The limits of messages to our own services. */
const batchLimits = { itemsMax: 256, bytesMax: 256 * 1024 } as const;
/** Maximum unconfirmed messages of one `publish` call. */
const unconfirmedMessagesMax = 500;
/** Maximum destinations whose binding state is cached; the cache is cleared beyond that. */
const destinationsKnownMax = 10_000;

/**
 * When events are published: `when-bound` only while a queue is bound to them; `always` for topologies where the
 * broker cannot tell, such as an alternate exchange or a shovel that selects messages by content.
 */
export type EventPublishMode = 'when-bound' | 'always';

/** An event and its index in the list passed to `publish`. */
interface Indexed {
  readonly event: PrintedEvent;
  readonly index: number;
}

interface EventMessage {
  readonly events: readonly Indexed[];
  /** Composes the message right before it is sent, because most messages have no bound queue and are not sent. */
  readonly compose: () => Publication;
}

/** Messages with the same routing: if the first one has no bound queue, neither have the others. */
interface Group {
  readonly destination: string;
  readonly first: EventMessage;
  /** Called only if they are sent: serializing events is most of their cost. */
  readonly others: () => readonly EventMessage[];
}

export interface EventPublisherOptions {
  readonly names: TopologyNames;
  readonly publisher: ConfirmedPublisher;
  readonly service: string;
  readonly metrics: MessagingMetrics;
  readonly tracing: Tracing | undefined;
  readonly publishMode: EventPublishMode;
  readonly canWrite: () => boolean;
}

/**
 * Publishes events twice: in batches of one type for our own services, and one by one for integrators. Without a
 * bound queue this costs one message per batch: the first is `mandatory`, and if the broker returns it, the others
 * are not sent. Bound queues miss nothing, because every batch asks again; the cached result only decides whether the
 * other messages wait for the response.
 */
export class EventPublisher {
  readonly #options: EventPublisherOptions;
  readonly #isBound = new Map<string, boolean>();

  constructor(options: EventPublisherOptions) {
    this.#options = options;
  }

  /** True for each event that the broker has confirmed or that has no bound queue. Never rejects. */
  async publish(events: readonly PrintedEvent[]): Promise<readonly boolean[]> {
    const isSafe = events.map(() => true);
    const settle = (message: EventMessage, outcome: PublishOutcome) => {
      if (isAnswered(outcome)) return;
      for (const { index } of message.events) isSafe[index] = false;
    };
    const indexed = events.map((event, index) => ({ event, index }));
    const groups = [...this.#batches(indexed), ...this.#singles(indexed)];
    await Promise.all(groups.map((group) => this.#publishGroup(group, settle)));
    return isSafe;
  }

  async #publishGroup(
    { destination, first, others }: Group,
    settle: (message: EventMessage, outcome: PublishOutcome) => void,
  ): Promise<void> {
    const probed = this.#send(first, true).then((outcome) => {
      settle(first, outcome);
      if (isAnswered(outcome)) this.#learn(destination, outcome === 'confirmed');
      return outcome;
    });
    if (this.#options.publishMode === 'when-bound' && this.#isBound.get(destination) !== true) {
      const outcome = await probed;
      if (outcome === 'returned') return;
      if (outcome !== 'confirmed') return others().forEach((message) => settle(message, outcome));
    }
    const rest = others();
    for (let from = 0; from < rest.length; from += unconfirmedMessagesMax) {
      const part = rest.slice(from, from + unconfirmedMessagesMax);
      await Promise.all(part.map(async (message) => settle(message, await this.#send(message, false))));
    }
    await probed;
  }

  #learn(destination: string, isBound: boolean): void {
    if (this.#isBound.size >= destinationsKnownMax) this.#isBound.clear();
    this.#isBound.set(destination, isBound);
  }

  async #send({ events, compose }: EventMessage, mandatory: boolean): Promise<PublishOutcome> {
    const { publisher, metrics, tracing, canWrite } = this.#options;
    if (!canWrite()) return 'unknown';
    const publication = compose();
    metrics.published?.('event', publication.exchange, events.length);
    const properties = mandatory ? { ...publication.properties, mandatory } : publication.properties;
    const span = tracing && publishSpan(tracing, publication, events.map(eventFacts));
    const outcome = await publisher.publish({ ...publication, properties });
    span?.end(isAnswered(outcome) ? undefined : outcome);
    return outcome;
  }

  /**
   * Groups for our own services, by type. Unless a type is internal, and thus small, or known to have a bound queue,
   * one event is sent ahead as a probe.
   */
  #batches(events: readonly Indexed[]): Group[] {
    return [...groupBy(events, ({ event }) => event.type)].map(([type, members]) => {
      const destination = `${this.#options.names.internalEvents}/${type}`;
      const isWhole = members[0]?.event.isInternal === true || this.#isBound.get(destination) === true;
      const filled = (some: readonly Indexed[]) =>
        fillMessages(some, batchLimits, ({ event }) => event.text.length).map((part) =>
          this.#batch(type, part),
        );
      if (!isWhole) {
        return {
          destination,
          first: this.#batch(type, members.slice(0, 1)),
          others: () => filled(members.slice(1)),
        };
      }
      const [first, ...others] = filled(members) as [EventMessage, ...EventMessage[]];
      return { destination, first, others: () => others };
    });
  }

  #batch(type: string, events: readonly Indexed[]): EventMessage {
    const compose = (): Publication => ({
      kind: 'event',
      exchange: this.#options.names.internalEvents,
      key: type,
      content: Buffer.from(`[${events.map(({ event }) => event.text).join(',')}]`),
      properties: eventBatchProperties(events[0]?.event as PrintedEvent, this.#options.service),
    });
    return { events, compose };
  }

  /** Groups for integrators, by type and retailer, because a binding may select a single retailer. */
  #singles(events: readonly Indexed[]): Group[] {
    const groups = groupBy(events, ({ event: { isInternal, type, retailer } }) =>
      isInternal ? undefined : `${this.#options.names.events}/${type}/${retailer}`,
    );
    return [...groups].map(([destination, [first, ...others]]) => ({
      destination,
      first: this.#single(first as Indexed),
      others: () => others.map((other) => this.#single(other)),
    }));
  }

  #single(indexed: Indexed): EventMessage {
    const { event } = indexed;
    const compose = (): Publication => ({
      kind: 'event',
      exchange: this.#options.names.events,
      key: event.type,
      content: Buffer.from(event.text),
      properties: eventProperties(event, this.#options.service),
    });
    return { events: [indexed], compose };
  }
}

/** Whether the broker has taken the message or has no bound queue for it. */
const isAnswered = (outcome: PublishOutcome): boolean => outcome === 'confirmed' || outcome === 'returned';

function eventFacts({ event }: Indexed): MessageFacts {
  const { id, type, retailer, correlationId, traceparent } = event;
  return { id, type, retailer, traceparent, conversationId: correlationId };
}
