import type { Broker, SubscribeOptions } from '@receipts/messaging';
import type { Copy, Versioned } from './copy';

/** What runs a copy, whatever its records are. */
type FollowedCopy = Pick<Copy<Versioned>, 'events' | 'start' | 'refresh' | 'stop'>;

/**
 * Work that a service does on its own, not in response to messages. Creating it starts nothing: the service starts and
 * stops it.
 */
export interface Background {
  /** Absent if the first message starts the work. */
  start?(): void;
  /** Resolves when the work in progress has ended. */
  stop(): unknown;
}

/** Declares everything that a service does besides handling requests. */
export interface Work {
  readonly subscriptions?: readonly SubscribeOptions[];
  /** Copies of other services' records. Every process keeps them in memory, so every process gets all their events. */
  readonly copies?: readonly FollowedCopy[];
  /**
   * Called after each connect to the broker, to fetch events that were missed while disconnected, and after a
   * collection was dropped, to fetch its contents again.
   */
  readonly onBrokerConnected?: readonly (() => void)[];
  /** Started once events are consumed; stopped while consumers finish their work in progress. */
  readonly background?: readonly Background[];
  /** Components that consumers hand work to. They are stopped in this order. */
  readonly stoppedAfterConsumers?: readonly Background[];
  /** How long consumers may take to finish their work in progress, in milliseconds; 8 s by default. */
  readonly graceMs?: number | undefined;
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
  /** Finishes work in progress and publishes its events; broker and database stay open. */
  stop(): Promise<void>;
}

const graceDefaultMs = 8_000;

/**
 * Handles requests, subscribes to events, and starts the background work. Requests and events rely on the copies, so
 * these are followed before the first and until after the last.
 * @returns the service, which stops everything in the right order
 */
export async function startWork(options: WorkOptions, work: Work): Promise<Service> {
  const { name, broker, serve, onDataLost } = options;
  const { subscriptions = [], copies = [], onBrokerConnected = [], background = [] } = work;
  const { stoppedAfterConsumers = [], graceMs = graceDefaultMs } = work;
  const endings: (() => void)[] = [];
  const listen = (listener: () => void) => {
    endings.push(broker.onConnected(listener));
    if (onDataLost) endings.push(onDataLost(listener));
  };
  const following = await follow(name, broker, copies);
  for (const copy of copies) listen(() => copy.refresh());
  const begin = async () => {
    const subscribers = await Promise.all(subscriptions.map((queue) => broker.subscribe(queue)));
    // A consumer that catches up must already be receiving new events.
    for (const listener of onBrokerConnected) listen(listener);
    for (const task of [...background, ...stoppedAfterConsumers]) task.start?.();
    return subscribers;
  };
  const [subscribers, server] = await Promise.all([begin(), serve()]);
  return {
    async stop() {
      for (const end of endings) end();
      await Promise.all([
        ...[server, ...subscribers].map((consumer) => consumer.close(graceMs)),
        ...background.map((task) => task.stop()),
      ]);
      for (const copy of copies) copy.stop();
      await following?.close(graceMs);
      for (const task of stoppedAfterConsumers) await task.stop();
    },
  };
}

/** Subscribes to the events of the copies before they are read, so that no event is missed after the first read. */
async function follow(
  service: string,
  broker: WorkOptions['broker'],
  copies: readonly FollowedCopy[],
): Promise<Consumer | undefined> {
  if (copies.length === 0) return undefined;
  const subscriptions = copies.map(({ events }) => events);
  const subscriber = await broker.subscribe({ queue: `${service}.copies`, subscriptions, exclusive: true });
  for (const copy of copies) copy.start();
  return subscriber;
}
