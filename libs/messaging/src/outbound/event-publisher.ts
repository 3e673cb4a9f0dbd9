import type { PrintedEvent, Tracing } from '@receipts/kernel';
import type { ConfirmedPublisher, Publication } from './confirmed-publisher';
import type { MessagingMetrics, PublishOutcome } from '../reporting/metrics';
import { publishSpan, type MessageFacts } from '../reporting/spans';
import type { Names } from '../topology/names';
import { eventBatchProperties, eventProperties } from '../message/properties';

/** Events that one message to our own services holds at most. */
export const eventsPerMessageMax = 256;
const bytesPerMessageMax = 256 * 1024;
/** Messages of one `publish` that are unconfirmed at once. */
const messagesInFlightMax = 500;
/** Destinations of which it is known whether somebody is bound; beyond that the memory starts anew. */
const destinationsKnownMax = 10_000;

/**
 * When an event goes out: `when-bound` only while a queue is bound to it; `always` for topologies in which the broker cannot
 * tell, as behind an alternate exchange or a shovel that picks messages by their content.
 */
export type Announce = 'when-bound' | 'always';

interface Outgoing {
  readonly events: readonly PrintedEvent[];
  /** Indexes of its events in the list that was given to `publish`. */
  readonly members: readonly number[];
  /** Called when it goes out and not before: most are never wanted. */
  readonly compose: () => Publication;
}

/** Messages that are routed alike: when nobody wants the first, nobody wants the others. */
interface Group {
  readonly destination: string;
  readonly messages: readonly Outgoing[];
}

export interface EventPublisherOptions {
  readonly names: Names;
  readonly publisher: ConfirmedPublisher;
  readonly service: string;
  readonly metrics: MessagingMetrics;
  readonly tracing: Tracing | undefined;
  readonly announce: Announce;
  readonly canWrite: () => boolean;
}

/**
 * Publishes events twice: in batches of one type for our own services, and one by one for integrators. What nobody is bound to
 * costs one message a batch: the first is `mandatory`, and when the broker sends it back the others stay here. Nothing is
 * missed by whoever is bound, because each batch asks anew; what was learned the last time only decides whether the others wait
 * for the answer.
 */
export class EventPublisher {
  readonly #options: EventPublisherOptions;
  readonly #isBound = new Map<string, boolean>();

  constructor(options: EventPublisherOptions) {
    this.#options = options;
  }

  /** True for each event that the broker has safe, or that nobody wants. Never rejects. */
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
    { destination, messages }: Group,
    settle: (message: Outgoing, outcome: PublishOutcome) => void,
  ): Promise<void> {
    const { announce } = this.#options;
    const [first, ...others] = messages as [Outgoing, ...Outgoing[]];
    const asked = this.#send(first, true).then((outcome) => {
      settle(first, outcome);
      if (outcome === 'confirmed' || outcome === 'returned')
        this.#learn(destination, outcome === 'confirmed');
      return outcome;
    });
    if (others.length === 0) return void (await asked);
    if (announce === 'when-bound' && this.#isBound.get(destination) !== true) {
      const outcome = await asked;
      if (outcome === 'returned') return;
      if (outcome !== 'confirmed') return others.forEach((message) => settle(message, outcome));
    }
    for (let from = 0; from < others.length; from += messagesInFlightMax) {
      const part = others.slice(from, from + messagesInFlightMax);
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

  /** For our own services: by type. While nobody is known to be bound to what is large, one event goes ahead. */
  #batches(events: readonly PrintedEvent[]): Group[] {
    return [...groupedBy(events, ({ type }) => type)].map(([type, members]) => {
      const destination = `${this.#options.names.facts}/${type}`;
      const isSmall = events[members[0] as number]?.isInternal === true;
      const ahead = isSmall || this.#isBound.get(destination) === true ? [] : members.slice(0, 1);
      const messages: Outgoing[] = [ahead, ...parts(events, members.slice(ahead.length))]
        .filter((part) => part.length > 0)
        .map((part) => this.#batch(events, part));
      return { destination, messages };
    });
  }

  #batch(events: readonly PrintedEvent[], members: readonly number[]): Outgoing {
    const batch = members.map((member) => events[member] as PrintedEvent);
    const compose = (): Publication => ({
      kind: 'event',
      exchange: this.#options.names.facts,
      key: batch[0]?.type ?? '',
      content: Buffer.from(`[${batch.map(({ text }) => text).join(',')}]`),
      properties: eventBatchProperties(batch, this.#options.service),
    });
    return { events: batch, members, compose };
  }

  /** For integrators: by type and retailer, as a binding may ask for one retailer only. */
  #singles(events: readonly PrintedEvent[]): Group[] {
    const groups = groupedBy(events, ({ isInternal, type, retailer }) =>
      isInternal ? undefined : `${this.#options.names.events}/${type}/${retailer}`,
    );
    return [...groups].map(([destination, members]) => ({
      destination,
      messages: members.map((member) => this.#single(events[member] as PrintedEvent, member)),
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

/** The indexes of the events by a name that is made of each; those without one are left out. */
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

/** Cuts a group into what fits into a message; an event that is larger travels alone. */
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
