import type { BatchHandler, Contract, Handler, Handlers, Log } from '@receipts/kernel';
import type { Broker, ServeOptions, SubscribeOptions, Subscription } from '@receipts/messaging';
import {
  forgetReplies,
  idempotencyCollection,
  withIdempotencyKeys,
  type IdempotencyRecord,
  lease,
  leaseCollection,
  KeptEvents,
  keptEventsCollection,
  toUnavailableError,
  withStorageErrors,
  type Database,
  type Lease,
  type LeaseDocument,
  type Publish,
  OutboxRelay,
  type OutboxRelayOptions,
  type KeptEvent,
  type WithOutbox,
} from '@receipts/storage';
import type { Document } from 'mongodb';
import { startWork, type Background, type Service, type Work } from './start-work';

export type { Background, Service };

/** The part of the broker that a service uses. */
export type ServiceBroker = Pick<Broker, 'onConnected' | 'publish' | 'serve' | 'subscribe'>;

export interface OpenServiceOptions {
  /** The owner of the service's contracts. */
  readonly name: string;
  readonly broker: ServiceBroker;
  readonly database: Database;
  readonly log: Log;
  /** The clock of idempotency keys, in milliseconds. */
  readonly idempotencyClock?: (() => number) | undefined;
}

/** A handler that replays its first reply to a retry with the same `Idempotency-Key`. */
export interface Idempotent<H> {
  readonly idempotent: H;
  readonly secretFields: readonly string[];
}

/** @param secretFields members of the reply that are `null` for a retry */
export function idempotent<H>(handler: H, ...secretFields: string[]): Idempotent<H> {
  return { idempotent: handler, secretFields };
}

/** One handler per contract; a missing handler is a compile error. */
export type Served<T extends Record<string, Contract>> = {
  readonly [K in keyof T]: Handler<T[K]> | BatchHandler<T[K]> | Idempotent<Handler<T[K]>>;
};

/** Declares everything that a service does. */
export interface ServiceWork<T extends Record<string, Contract>> extends Work {
  readonly contracts: T;
  readonly handlers: Served<T>;
  /** The maximum number of concurrently handled items, if messaging's default is not suitable. */
  readonly concurrency?: ServeOptions<T>['concurrency'];
}

export interface OpenService {
  /** A lease for a task that only one process should do at a time. */
  lease(task: string, durationMs: number): Lease;
  /**
   * The options that all relays share. @param task names the lease of the sweep, which only one process performs at a
   * time
   */
  relaying(task: string): {
    readonly publish: Publish;
    readonly lease: Lease;
    readonly log: Log;
    readonly metrics: Database['metrics'];
  };
  /**
   * A relay for the outboxes of a collection. Its public events are stored for a day, unless `keptEvents` is
   * undefined because the service can recreate them.
   */
  relay<D extends Document & WithOutbox>(
    task: string,
    options: Pick<OutboxRelayOptions<D>, 'collection' | 'keptEvents'>,
  ): OutboxRelay<D>;
  /** The events of the relays, stored before they are published. */
  readonly keptEvents: KeptEvents;
  /** Deletes the stored replies to requests with an `Idempotency-Key` that are about these receipts or identifiers. */
  readonly forgetReplies: (retailer: string, about: readonly string[]) => Promise<void>;
  /** Adds a relay, which is stopped after everything else. */
  addRelay<R extends Background>(relay: R): R;
  /**
   * Serves contracts, subscribes to events, and starts the background work. @returns the service, which stops
   * everything in the right order
   */
  start<T extends Record<string, Contract>>(work: ServiceWork<T>): Promise<Service>;
}

const sweepLeaseMs = 10_000;

/** Opens the parts of every service with its own database: leases, idempotency records and relays. */
export async function openService(options: OpenServiceOptions): Promise<OpenService> {
  const { name, broker, database, log, idempotencyClock } = options;
  const leases = await database.collection<LeaseDocument>(leaseCollection);
  const keys = await database.collection<IdempotencyRecord>(idempotencyCollection);
  const relays: Background[] = [];
  const keptEvents = new KeptEvents(
    await database.collection<KeptEvent>(keptEventsCollection),
    idempotencyClock,
  );

  const opened: OpenService = {
    lease: (task, durationMs) => lease(leases, task, durationMs),
    relaying: (task) => ({
      publish: (events) => broker.publish(events),
      lease: lease(leases, task, sweepLeaseMs),
      log,
      metrics: database.metrics,
    }),
    relay: (task, more) =>
      opened.addRelay(new OutboxRelay({ ...opened.relaying(task), keptEvents, ...more })),
    keptEvents,
    forgetReplies: (retailer, about) => forgetReplies(keys, retailer, about),
    addRelay(relay) {
      relays.push(relay);
      return relay;
    },
    async start(work) {
      const withKeys = (contract: Contract, { idempotent: handler, secretFields }: Idempotent<Handler>) =>
        withIdempotencyKeys(keys, contract, handler, {
          log,
          secretFields,
          ...(idempotencyClock && { now: idempotencyClock }),
        });
      const { contracts, concurrency, subscriptions = [], outlivesConsumers = [] } = work;
      const handlers = handlersOf(work, withKeys);
      const serve = () =>
        broker.serve({ owner: name, contracts, handlers, ...(concurrency && { concurrency }) });
      const onDataLost = (listener: () => void) => database.onCollectionLost(listener);
      return startWork(
        { name, broker, serve, onDataLost },
        {
          ...work,
          subscriptions: subscriptions.map(guarding),
          // Everything else may still write events.
          outlivesConsumers: [...outlivesConsumers, together(relays)],
        },
      );
    },
  };
  return opened;
}

function handlersOf<T extends Record<string, Contract>>(
  { contracts, handlers }: ServiceWork<T>,
  withKeys: (contract: Contract, handler: Idempotent<Handler>) => Handler,
): Handlers<T> {
  const entries = Object.entries(handlers as Served<Record<string, Contract>>).map(([name, handler]) => {
    const isIdempotent = 'idempotent' in handler;
    return [name, guarded(isIdempotent ? withKeys(contracts[name] as Contract, handler) : handler)];
  });
  return Object.fromEntries(entries) as Handlers<T>;
}

/** Wraps a handler so that its callers get a 503 while the database is unavailable. */
function guarded(handler: Handler | BatchHandler): Handler | BatchHandler {
  if (typeof handler === 'function') return (input, call) => withStorageErrors(() => handler(input, call));
  return { batch: (items) => withStorageErrors(() => handler.batch(items)) };
}

/**
 * Wraps an event handler so that events are retried for hours while the database is unavailable; after any other error,
 * they would be dead-lettered within minutes.
 */
function guardEvents(handle: Subscription['handle']): Subscription['handle'] {
  return async (events) => {
    const errors = await withStorageErrors(() => handle(events));
    return errors?.map((error) => toUnavailableError(error) ?? error);
  };
}

/** Starts and stops these at the same time. */
const together = (parts: readonly Background[]): Background => ({
  start() {
    for (const part of parts) part.start?.();
  },
  stop: (graceMs) => Promise.all(parts.map((part) => part.stop(graceMs))),
});

function guarding(queue: SubscribeOptions): SubscribeOptions {
  const subscriptions = queue.subscriptions.map(({ contracts, handle }) => ({
    contracts,
    handle: guardEvents(handle),
  }));
  return { ...queue, subscriptions };
}
