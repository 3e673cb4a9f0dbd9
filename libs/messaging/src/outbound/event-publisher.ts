import type { PrintedEvent, Tracing } from '@receipts/kernel';
import type { ConfirmedPublisher, Publication } from './confirmed-publisher';
import type { MessagingMetrics, PublishOutcome } from '../reporting/metrics';
import { publishSpan, type MessageFacts } from '../reporting/spans';
import type { Names } from '../topology/names';
import { eventBatchProperties, eventProperties } from '../message/properties';

/** Maximum events per message to our own services. */
export const eventsPerMessageMax = 256;
const bytesPerMessageMax = 256 * 1024;
/** Maximum unconfirmed messages of one `publish` call. */
const messagesInFlightMax = 500;
/** Maximum destinations whose binding state is cached; the cache is cleared beyond that. */
const destinationsKnownMax = 10_000;

/**
 * When events are published: `when-bound` only while a queue is bound to them; `always` for topologies where the
 * broker cannot tell, such as an alternate exchange or a shovel that selects messages by content.
 */
export type EventPublishMode = 'when-bound' | 'always';

interface Outgoing {
  readonly events: readonly PrintedEvent[];
  /** The indexes of its events in the list passed to `publish`. */
  readonly members: readonly number[];
  /** Composes the message right before it is sent, because most messages have no bound queue and are not sent. */
  readonly compose: () => Publication;
}

/** Messages with the same routing: if the first one has no bound queue, neither have the others. */
interface Group {
  readonly destination: string;
  readonly first: Outgoing;
  /** Called only if they are sent: serializing events is most of their cost. */
  readonly others: () => readonly Outgoing[];
}

export interface EventPublisherOptions {
  readonly names: Names;
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
    const settle = ({ members }: Outgoing, outcome: PublishOutcome) => {
      if (outcome === 'confirmed' || outcome === 'returned') return;
      for (const member of members) isSafe[member] = false;
    };
    const groups = [...this.#batches(events), ...this.#singles(events)];
    await Promise.all(groups.map((group) => this.#offer(group, settle)));
    return isSafe;
  }

  async #offer(
    { destination, first, others }: Group,
    settle: (message: Outgoing, outcome: PublishOutcome) => void,
  ): Promise<void> {
    const { publishMode } = this.#options;
    const asked = this.#send(first, true).then((outcome) => {
      settle(first, outcome);
      if (outcome === 'confirmed' || outcome === 'returned')
        this.#learn(destination, outcome === 'confirmed');
      return outcome;
    });
    if (publishMode === 'when-bound' && this.#isBound.get(destination) !== true) {
      const outcome = await asked;
      if (outcome === 'returned') return;
      if (outcome !== 'confirmed') return others().forEach((message) => settle(message, outcome));
    }
    const rest = others();
    for (let from = 0; from < rest.length; from += messagesInFlightMax) {
      const part = rest.slice(from, from + messagesInFlightMax);
      await Promise.all(part.map(async (message) => settle(message, await this.#send(message, false))));
    }
    await asked;
  }

  #learn(destination: string, isBound: boolean): void {
    if (this.#isBound.size >= destinationsKnownMax) this.#isBound.clear();
    this.#isBound.set(destination, isBound);
  }

  async #send({ events, members, compose }: Outgoing, mandatory: boolean): Promise<PublishOutcome> {
    const { publisher, metrics, tracing, canWrite } = this.#options;
    if (!canWrite()) return 'unknown';
    const publication = compose();
    metrics.published?.('event', publication.exchange, members.length);
    const properties = mandatory ? { ...publication.properties, mandatory } : publication.properties;
    const span = tracing && publishSpan(tracing, publication, events.map(factsOf));
    const outcome = await publisher.publish({ ...publication, properties });
    span?.end(outcome === 'confirmed' || outcome === 'returned' ? undefined : outcome);
    return outcome;
  }

  /**
   * Groups for our own services, by type. Unless a type is internal, and thus small, or known to have a bound queue,
   * one event is sent ahead as a probe.
   */
  #batches(events: readonly PrintedEvent[]): Group[] {
    return [...groupedBy(events, ({ type }) => type)].map(([type, members]) => {
      const destination = `${this.#options.names.internalEvents}/${type}`;
      const isSmall = events[members[0] as number]?.isInternal === true;
      const batched = (some: readonly number[]) =>
        parts(events, some).map((part) => this.#batch(events, part));
      if (isSmall || this.#isBound.get(destination) === true) {
        const [first, ...others] = batched(members) as [Outgoing, ...Outgoing[]];
        return { destination, first, others: () => others };
      }
      const first = this.#batch(events, members.slice(0, 1));
      return { destination, first, others: () => batched(members.slice(1)) };
    });
  }

  #batch(events: readonly PrintedEvent[], members: readonly number[]): Outgoing {
    const batch = members.map((member) => events[member] as PrintedEvent);
    const compose = (): Publication => ({
      kind: 'event',
      exchange: this.#options.names.internalEvents,
      key: batch[0]?.type ?? '',
      content: Buffer.from(`[${batch.map(({ text }) => text).join(',')}]`),
      properties: eventBatchProperties(batch, this.#options.service),
    });
    return { events: batch, members, compose };
  }

  /** Groups for integrators, by type and retailer, because a binding may select a single retailer. */
  #singles(events: readonly PrintedEvent[]): Group[] {
    const groups = groupedBy(events, ({ isInternal, type, retailer }) =>
      isInternal ? undefined : `${this.#options.names.events}/${type}/${retailer}`,
    );
    const single = (member: number) => this.#single(events[member] as PrintedEvent, member);
    return [...groups].map(([destination, members]) => ({
      destination,
      first: single(members[0] as number),
      others: () => members.slice(1).map(single),
    }));
  }

  #single(event: PrintedEvent, member: number): Outgoing {
    const compose = (): Publication => ({
      kind: 'event',
      exchange: this.#options.names.events,
      key: event.type,
      content: Buffer.from(event.text),
      properties: eventProperties(event, this.#options.service),
    });
    return { events: [event], members: [member], compose };
  }
}

function factsOf({ id, type, retailer, correlationId, traceparent }: PrintedEvent): MessageFacts {
  return { id, type, retailer, traceparent, conversationId: correlationId };
}

/** The indexes of the events grouped by name; events without a name are omitted. */
function groupedBy(
  events: readonly PrintedEvent[],
  nameOf: (event: PrintedEvent) => string | undefined,
): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  events.forEach((event, index) => {
    const name = nameOf(event);
    if (name === undefined) return;
    const group = groups.get(name);
    if (group) group.push(index);
    else groups.set(name, [index]);
  });
  return groups;
}

/** Splits a group into messages of limited size; a larger event is sent alone. */
function parts(events: readonly PrintedEvent[], members: readonly number[]): number[][] {
  const cut: number[][] = [];
  let part: number[] = [];
  let bytes = 0;
  for (const member of members) {
    const size = events[member]?.text.length ?? 0;
    if (part.length > 0 && (part.length >= eventsPerMessageMax || bytes + size > bytesPerMessageMax)) {
      cut.push(part);
      part = [];
      bytes = 0;
    }
    part.push(member);
    bytes += size;
  }
  if (part.length > 0) cut.push(part);
  return cut;
}
