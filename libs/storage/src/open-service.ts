import type {
  BatchHandler,
  Contract,
  EventContract,
  EventRecord,
  Handler,
  Handlers,
  PrintedEvent,
} from '@receipts/kernel';
import type { Document } from 'mongodb';
import type { Database } from './connect-database';
import { guardHandlers } from './guard-handlers';
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

/** A queue of events and what is done with them; messaging's `on` makes its subscriptions. */
export interface Hearing {
  readonly queue: string;
  readonly subscriptions: readonly {
    readonly contracts: readonly EventContract[];
    readonly handle: (events: readonly EventRecord[]) => Promise<readonly (undefined | Error)[] | void>;
  }[];
  /** One queue for this process alone: for what is kept in memory. */
  readonly exclusive?: boolean;
}

type Concurrency<T> = number | { readonly [K in keyof T]?: number };

/** What a service needs of the broker; messaging's `Broker` fits. */
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
  /** The owner of its contracts. */
  readonly name: string;
  readonly broker: ServiceBroker;
  readonly database: Database;
  readonly log: Log;
  /** What earlier releases have left; carried out once, in this order. */
  readonly migrations?: readonly Migration[];
  /** The clock of idempotency keys, in milliseconds. */
  readonly keysNow?: (() => number) | undefined;
}

/** A handler that answers a repetition with the same `Idempotency-Key` as it answered the first time. */
export interface Once<H> {
  readonly once: H;
  readonly toldOnce: readonly string[];
}

/** @param toldOnce members of the answer that a repetition gets as `null`, such as secrets */
export function once<H>(handler: H, ...toldOnce: string[]): Once<H> {
  return { once: handler, toldOnce };
}

type MaybeOnce<H> = H | Once<H>;

/** One handler for each contract: a contract without a handler does not compile. */
export type Served<T extends Record<string, Contract>> = {
  readonly [K in keyof T]: MaybeOnce<Handler<T[K]> | BatchHandler<T[K]>>;
};

/** Work that a service does unasked. */
export interface Background {
  start?(): void;
  stop(): unknown;
}

/** Everything that a service does, as data. */
export interface ServiceWork<T extends Record<string, Contract>> {
  readonly contracts: T;
  readonly handlers: Served<T>;
  /** Items that are handled at the same time, where that is not messaging's to say. */
  readonly concurrency?: Concurrency<T>;
  readonly hears?: readonly Hearing[];
  /** Called after each connect to the broker: what was missed meanwhile can be fetched. */
  readonly onUp?: readonly (() => void)[];
  /** Begun once events are heard; stopped while consumers end what they have begun. */
  readonly background?: readonly Background[];
  /** What consumers hand work to: stopped after them, in this order. */
  readonly afterConsumers?: readonly Background[];
  /** How long consumers may end what they have begun; messaging's bound unless given. */
  readonly graceMs?: number;
}

export interface Service {
  /** Ends what was begun and publishes its events; broker and database stay open. */
  stop(): Promise<void>;
}

interface Stoppable {
  stop(): Promise<void>;
}

export interface OpenService {
  /** A claim on a task that one process at a time should do. */
  lease(task: string, durationMs: number): Lease;
  /** What relays have in common. @param task names the sweep of what was left behind, which one process at a time does */
  relaying(task: string): {
    readonly publish: Publish;
    readonly lease: Lease;
    readonly log: Log;
    readonly metrics: Database['metrics'];
  };
  /**
   * A relay for the outboxes of a collection, which is stopped after everything else. What it has told is kept for a day, unless
   * `told` is undefined: then the service can make it again.
   */
  relay<D extends Document & WithOutbox>(
    task: string,
    options: Pick<RelayOptions<D>, 'collection' | 'custom' | 'told'>,
  ): Relay<D, D['_id']>;
  /** The events that the relays have told. */
  readonly told: ToldEvents;
  /** Has something else stopped along with the relays. */
  stopLast<S extends Stoppable>(last: S): S;
  /** Serves, hears, and begins the background work. @returns how to end it, in the right order */
  start<T extends Record<string, Contract>>(work: ServiceWork<T>): Promise<Service>;
}

const sweepLeaseMs = 10_000;

/** Opens what every service with a database of its own has: leases, idempotency keys, relays; and starts its work. */
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

async function startWork<T extends Record<string, Contract>>(
  { name, broker, last }: { name: string; broker: ServiceBroker; last: readonly Stoppable[] },
  work: ServiceWork<T>,
  handlers: Handlers<T>,
): Promise<Service> {
  const { contracts, concurrency, hears = [], onUp = [], background = [], afterConsumers = [] } = work;
  const listeners: (() => void)[] = [];
  const begin = async () => {
    const subscribers = await Promise.all(hears.map((hearing) => broker.subscribe(hearing)));
    // Whoever catches up must hear of what happens meanwhile.
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
