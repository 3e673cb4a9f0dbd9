import type { Options } from 'amqplib';
import { fillMessages, type MessageLimits, groupBy } from '@receipts/concurrency';
import { type SerializedEvent } from '@receipts/kernel';
import type { OutgoingMessage } from '../connection/supervised-channel';
import { eventBatchProperties, eventProperties } from '../message/properties';
import type { PublishOutcome } from '../reporting/metrics';
import { publishSpan, type MessageFacts } from '../reporting/spans';
import type { BrokerContext } from '../topology/broker-context';
import type { ConfirmedPublisher } from './confirmed-publisher';

/** The maximum number of unconfirmed messages of one run of a `publish` call to one destination. */
const unconfirmedMessagesMax = 500;
/** The maximum number of destinations whose binding state is cached; beyond that, the cache is cleared. */
const destinationsKnownMax = 10_000;

/** An event and its index in the list passed to `publish`. */
interface Indexed {
  readonly event: SerializedEvent;
  readonly index: number;
}

/** Records the response to the message with these events. */
type Note = (part: readonly Indexed[], response: Promise<PublishOutcome>) => void;

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
 * Publishes events twice: consecutive events of one type in batches for our own services, and one by one for
 * integrators. If no queue is bound, this costs one message per batch: the first is `mandatory`, and if the broker returns it, the others are not
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

  /**
   * Sends the events of each retailer to each queue in the order of this call; other calls are independent. True for each
   * event that the broker has confirmed or that has no bound queue. Never rejects.
   */
  async publish(events: readonly SerializedEvent[]): Promise<readonly boolean[]> {
    const isSafe = events.map(() => true);
    const confirms: Promise<void>[] = [];
    const note: Note = (part, response) => {
      const settled = response.then((outcome) => {
        if (!isAnswered(outcome)) for (const { index } of part) isSafe[index] = false;
      });
      confirms.push(settled);
    };
    const runs = runsOf(events);
    const send = async (format: Format, keyOf: (event: SerializedEvent) => string | undefined) => {
      for (const [n, run] of runs.entries()) {
        const groups = [...groupBy(run, ({ event }) => keyOf(event))].map(([key, members]) => ({
          format,
          destination: `${format.exchange}/${key}`,
          events: members,
        }));
        const areSent = await Promise.all(groups.map((group) => this.sendGroup(group, note)));
        // A later event must not overtake one that was not sent.
        if (areSent.includes(false)) return note(runs.slice(n).flat(), Promise.resolve('unknown'));
      }
    };
    await Promise.all([
      send(this.internal, ({ type }) => type),
      // An integrator's binding may select a single retailer.
      send(this.public, ({ isInternal, type, retailer }) => (isInternal ? undefined : `${type}/${retailer}`)),
    ]);
    await Promise.all(confirms);
    return isSafe;
  }

  /**
   * Resolves once all are sent; with false if they were not. A response is awaited only as long as no queue is known to be
   * bound.
   */
  private async sendGroup({ destination, format, events }: Group, note: Note): Promise<boolean> {
    const isBound = this.isBound.get(destination) === true;
    // Serialization is most of the cost of events, so only the first is serialized until a queue is known to be bound.
    const isWhole = isBound || events[0]?.event.isInternal === true;
    const [first, ...others] = isWhole ? this.split(format, events) : [events.slice(0, 1)];
    if (!first) return true;
    const response = this.send(format, first, true).then((outcome) => {
      if (isAnswered(outcome)) this.learn(destination, outcome === 'confirmed');
      return outcome;
    });
    note(first, response);
    if (!isBound) {
      const outcome = await response;
      if (outcome === 'returned') return true;
      if (outcome !== 'confirmed') return false;
    }
    const rest = isWhole ? others : this.split(format, events.slice(1));
    while (rest.length > 0) {
      const sent = rest.splice(0, unconfirmedMessagesMax).map((part) => {
        const confirm = this.send(format, part, false);
        note(part, confirm);
        return confirm;
      });
      if (rest.length > 0) await Promise.all(sent);
    }
    return true;
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

/** The events in order, each run of one type. */
function runsOf(events: readonly SerializedEvent[]): Indexed[][] {
  const runs: Indexed[][] = [];
  events.forEach((event, index) => {
    const last = runs.at(-1);
    if (last?.[0]?.event.type === event.type) last.push({ event, index });
    else runs.push([{ event, index }]);
  });
  return runs;
}

/** Whether the broker has accepted the message or has no bound queue for it. */
const isAnswered = (outcome: PublishOutcome): boolean => outcome === 'confirmed' || outcome === 'returned';

function eventFacts({ id, type, retailer, correlationId, traceparent }: SerializedEvent): MessageFacts {
  return { id, type, retailer, traceparent, conversationId: correlationId };
}
