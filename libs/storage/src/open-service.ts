import type {
  BatchHandler,
  Contract,
  EventContract,
  Handler,
  Handlers,
  PrintedEvent,
} from '@receipts/kernel';
import type { Document } from 'mongodb';
import type { Database } from './connect-database';
import { guardEvents, guardHandlers, type HandleEvents } from './guard-handlers';
import { idempotencyCollection, type IdempotencyRecord } from './idempotency-records';
import { idempotent } from './idempotent';
import { lease, leaseCollection, type Lease, type LeaseDocument } from './lease';
import type { Log } from './log';
import { migrationCollection, Migrations, type Migration, type MigrationDocument } from './migrations';
import type { WithOutbox } from './outbox';
import { createRelay, type Publish, type Relay, type RelayOptions } from './relay';
import { ToldEvents, toldEventsCollection, type ToldEvent } from './told-events';

interface Closable {
  close(graceMs?: number): Promise<void>;
}

/** A queue and the handlers of its events; messaging's `on` creates the subscriptions. */
export interface Hearing {
  readonly queue: string;
  readonly subscriptions: readonly {
    readonly contracts: readonly EventContract[];
    readonly handle: HandleEvents;
  }[];
  /** Each process gets its own queue, for events that update in-memory state. */
  readonly exclusive?: boolean;
}

type Concurrency<T> = number | { readonly [K in keyof T]?: number };

/** The part of the broker that a service uses; messaging's `Broker` satisfies it. */
export interface ServiceBroker {
  publish(events: readonly PrintedEvent[]): Promise<readonly boolean[]>;
  serve<T extends Record<string, Contract>>(options: {
    readonly owner: string;
    readonly contracts: T;
    readonly handlers: Handlers<T>;
    readonly concurrency?: Concurrency<T>;
  }): Promise<Closable>;
  subscribe(hearing: Hearing): Promise<Closable>;
  onUp(listener: () => void): () => void;
}

export interface OpenServiceOptions {
  /** The owner of the service's contracts. */
  readonly name: string;
  readonly broker: ServiceBroker;
  readonly database: Database;
  readonly log: Log;
  /** Data migrations from earlier releases; each runs once, in this order. */
  readonly migrations?: readonly Migration[];
  /** The clock of idempotency keys, in milliseconds. */
  readonly keysNow?: (() => number) | undefined;
}

/** A handler that gives a repetition with the same `Idempotency-Key` its first reply again. */
export interface Once<H> {
  readonly once: H;
  readonly toldOnce: readonly string[];
}

/** @param toldOnce members of the reply that a repetition gets as `null`, such as secrets */
export function once<H>(handler: H, ...toldOnce: string[]): Once<H> {
  return { once: handler, toldOnce };
}

type MaybeOnce<H> = H | Once<H>;

/** One handler per contract; a missing handler is a compile error. */
export type Served<T extends Record<string, Contract>> = {
  readonly [K in keyof T]: MaybeOnce<Handler<T[K]> | BatchHandler<T[K]>>;
};

/** Work that a service does on its own, not in response to messages. */
export interface Background {
  start?(): void;
  stop(): unknown;
}

/** Declares everything that a service does. */
export interface ServiceWork<T extends Record<string, Contract>> {
  readonly contracts: T;
  readonly handlers: Served<T>;
  /** The maximum number of concurrently handled items, where messaging's default does not fit. */
  readonly concurrency?: Concurrency<T>;
  readonly hears?: readonly Hearing[];
  /** Called after each connect to the broker, to fetch events that were missed while disconnected. */
  readonly onUp?: readonly (() => void)[];
  /** Started once events are consumed; stopped while consumers finish their work in progress. */
  readonly background?: readonly Background[];
  /** Work that consumers hand over to; stopped after the consumers, in this order. */
  readonly afterConsumers?: readonly Background[];
  /** How long consumers may take to finish their work in progress; messaging's default unless given. */
  readonly graceMs?: number;
}

export interface Service {
  /** Finishes work in progress and publishes its events; broker and database stay open. */
  stop(): Promise<void>;
}

interface Stoppable {
  stop(): Promise<void>;
}

export interface OpenService {
  /** A lease for a task that one process at a time should do. */
  lease(task: string, durationMs: number): Lease;
  /**
   * The options that relays have in common. @param task names the lease of the sweep, which one process at a time
   * does
   */
  relaying(task: string): {
    readonly publish: Publish;
    readonly lease: Lease;
    readonly log: Log;
    readonly metrics: Database['metrics'];
  };
  /**
   * A relay for the outboxes of a collection, stopped after everything else. Its published events are stored for a
   * day, unless `told` is undefined because the service can recreate them.
   */
  relay<D extends Document & WithOutbox>(
    task: string,
    options: Pick<RelayOptions<D>, 'collection' | 'custom' | 'told'>,
  ): Relay<D, D['_id']>;
  /** The published events of the relays. */
  readonly told: ToldEvents;
  /** Registers something to be stopped together with the relays. */
  stopLast<S extends Stoppable>(last: S): S;
  /**
   * Serves contracts, subscribes to events, and starts the background work. @returns the service, which stops
   * everything in the right order
   */
  start<T extends Record<string, Contract>>(work: ServiceWork<T>): Promise<Service>;
}

const sweepLeaseMs = 10_000;

/** Opens what every service with its own database has: leases, idempotency records, migrations and relays. */
export async function openService(options: OpenServiceOptions): Promise<OpenService> {
  const { name, broker, database, log, migrations = [], keysNow } = options;
  const leases = await database.collection<LeaseDocument>(leaseCollection);
  const keys = await database.collection<IdempotencyRecord>(idempotencyCollection);
  const records = await database.collection<MigrationDocument>(migrationCollection);
  const migrating = new Migrations({ migrations, records, leases, database, log });
  await migrating.beforeServing();
  const last: Stoppable[] = [migrating];
  const told = new ToldEvents(await database.collection<ToldEvent>(toldEventsCollection), keysNow);

  const opened: OpenService = {
    lease: (task, durationMs) => lease(leases, task, durationMs),
    relaying: (task) => ({
      publish: (events) => broker.publish(events),
      lease: lease(leases, task, sweepLeaseMs),
      log,
      metrics: database.metrics,
    }),
    relay: (task, more) => opened.stopLast(createRelay({ ...opened.relaying(task), told, ...more })),
    told,
    stopLast(stoppable) {
      last.push(stoppable);
      return stoppable;
    },
    async start(work) {
      const handlers = guardHandlers(
        withKeys(work, (contract, { once: handler, toldOnce }) =>
          idempotent(keys, contract, handler as Handler, { log, toldOnce, ...(keysNow && { now: keysNow }) }),
        ),
      );
      migrating.start();
      return startWork({ name, broker, last }, work, handlers);
    },
  };
  return opened;
}

function withKeys<T extends Record<string, Contract>>(
  { contracts, handlers }: ServiceWork<T>,
  keyed: (contract: Contract, handler: Once<unknown>) => Handler | BatchHandler,
): Handlers<T> {
  const entries = Object.entries<unknown>(handlers).map(([name, handler]) => {
    const isOnce = typeof handler === 'object' && handler !== null && 'once' in handler;
    return [name, isOnce ? keyed(contracts[name] as Contract, handler as Once<unknown>) : handler];
  });
  return Object.fromEntries(entries) as Handlers<T>;
}

function guarding(hearing: Hearing): Hearing {
  const subscriptions = hearing.subscriptions.map(({ contracts, handle }) => ({
    contracts,
    handle: guardEvents(handle),
  }));
  return { ...hearing, subscriptions };
}

async function startWork<T extends Record<string, Contract>>(
  { name, broker, last }: { name: string; broker: ServiceBroker; last: readonly Stoppable[] },
  work: ServiceWork<T>,
  handlers: Handlers<T>,
): Promise<Service> {
  const { contracts, concurrency, hears = [], onUp = [], background = [], afterConsumers = [] } = work;
  const listeners: (() => void)[] = [];
  const begin = async () => {
    const subscribers = await Promise.all(hears.map((hearing) => broker.subscribe(guarding(hearing))));
    // A consumer that catches up must already be receiving new events.
    listeners.push(...onUp.map((listener) => broker.onUp(listener)));
    for (const task of [...background, ...afterConsumers]) task.start?.();
    return subscribers;
  };
  const serving = broker.serve({ owner: name, contracts, handlers, ...(concurrency && { concurrency }) });
  const [subscribers, server] = await Promise.all([begin(), serving]);
  return {
    async stop() {
      for (const endListening of listeners) endListening();
      await Promise.all([
        ...[server, ...subscribers].map((consumer) => consumer.close(work.graceMs)),
        ...background.map((task) => task.stop()),
      ]);
      for (const task of afterConsumers) await task.stop();
      await Promise.all(last.map((stoppable) => stoppable.stop()));
    },
  };
}
