import type { Broker, SubscribeOptions } from '@receipts/messaging';
import type { Copy, Versioned } from './copy';
import { stopInOrder } from './stop-in-order';

/** What runs a copy, whatever its records are. */
type FollowedCopy = Pick<Copy<Versioned>, 'events' | 'start' | 'reconnected' | 'stop'>;

/**
 * Work that a service does on its own, not in response to messages. Creating it starts nothing: the service starts and
 * stops it.
 */
export interface Background {
  /** Absent if the first message starts the work. */
  start?(): void;
  /**
   * Called after each connect to the broker, to fetch or repeat what was missed or lost while disconnected, and after a
   * collection was dropped, to fetch its contents again.
   */
  reconnected?(): void;
  /** Resolves when the work in progress has ended, or after `graceMs` milliseconds, if the work limits itself. */
  stop(graceMs?: number): unknown;
}

/** Declares everything that a service does besides handling requests. */
export interface Work {
  readonly subscriptions?: readonly SubscribeOptions[];
  /** Copies of other services' records. Every process keeps them in memory, so every process gets all their events. */
  readonly copies?: readonly FollowedCopy[];
  /** Started once events are consumed; stopped while consumers finish their work in progress. */
  readonly background?: readonly Background[];
  /**
   * What consumers hand work to. Started with the background work; stopped in this order, once consumers have finished.
   */
  readonly outlivesConsumers?: readonly Background[];
}

/** What consumes requests or events. */
interface Consumer {
  /** Stops consuming, and finishes work in progress for at most `graceMs`. */
  close(graceMs: number): Promise<unknown>;
}

export interface WorkOptions {
  /** The name of the service. */
  readonly name: string;
  readonly broker: Pick<Broker, 'onConnected' | 'subscribe'>;
  /** Starts to handle requests. */
  readonly serve: () => Promise<Consumer>;
  /** Calls the listener whenever data are lost that can be fetched again. */
  readonly onDataLost?: (listener: () => void) => () => void;
}

export interface Service {
  /**
   * Finishes work in progress and publishes its events within `graceMs`, 10 s by default; broker and database stay open.
   */
  stop(graceMs?: number): Promise<void>;
}

const graceDefaultMs = 10_000;

/**
 * Handles requests, subscribes to events, and starts the background work. Requests and events rely on the copies, so
 * their events are consumed before the first and until after the last. A copy may not be complete at the first.
 * @returns the service, which stops everything in the right order
 */
export async function startWork(options: WorkOptions, work: Work): Promise<Service> {
  const { name, broker, serve, onDataLost } = options;
  const { subscriptions = [], copies = [], background = [], outlivesConsumers = [] } = work;
  const endings: (() => void)[] = [];
  const run = (part: Background) => {
    part.start?.();
    if (!part.reconnected) return;
    const listener = () => part.reconnected?.();
    endings.push(broker.onConnected(listener));
    if (onDataLost) endings.push(onDataLost(listener));
  };
  // No event is missed after the first read.
  const following = copies.length > 0 ? await broker.subscribe(queueOf(name, copies)) : undefined;
  for (const copy of copies) run(copy);
  const begin = async () => {
    const subscribers = await Promise.all(subscriptions.map((queue) => broker.subscribe(queue)));
    // A consumer that catches up must already be receiving new events.
    for (const task of [...background, ...outlivesConsumers]) run(task);
    return subscribers;
  };
  const [subscribers, server] = await Promise.all([begin(), serve()]);
  return {
    async stop(graceMs = graceDefaultMs) {
      for (const end of endings) end();
      await stopInOrder(graceMs, [
        {
          name: 'consumers and background work',
          weight: 7,
          stop: (ms) =>
            Promise.all([
              ...[server, ...subscribers].map((consumer) => consumer.close(ms)),
              ...background.map((task) => task.stop(ms)),
            ]),
        },
        {
          name: 'copies',
          weight: 1,
          stop(ms) {
            for (const copy of copies) copy.stop();
            return following?.close(ms);
          },
        },
        ...outlivesConsumers.map((task) => ({
          name: 'what consumers hand work to',
          weight: 1,
          stop: (ms: number) => task.stop(ms),
        })),
      ]);
    },
  };
}

/** Every process has a queue of its own, and gets all events. */
const queueOf = (service: string, copies: readonly FollowedCopy[]): SubscribeOptions => ({
  queue: `${service}.copies`,
  subscriptions: copies.map(({ events }) => events),
  exclusive: true,
});
