import { adminContracts, adminPages } from '@receipts/contracts';
import { sealer } from '@receipts/host';
import {
  rawOutput,
  type Call,
  type CloudEvent,
  type SerializedEvent,
  type Contract,
  type Handler,
  type Reply,
  type ReceivedReply,
  type RequestInput,
} from '@receipts/kernel';
import type { Broker, DeadLetters, DeadLetter } from '@receipts/messaging';
import { idempotencyCollection, type IdempotencyRecord } from '@receipts/storage';
import type { Database } from '@receipts/storage';
import { callOf as clientCall, checkBody, readEvent, silentLog, startDatabase } from '@receipts/testing';
import type { IntegratorAccess } from '../broker/integrator-access';
import { startService } from '../service';

const contracts = { ...adminContracts, ...adminPages };
type Contracts = typeof contracts;

export const masterKey = Buffer.alloc(32, 7).toString('base64');

/** By default, a call as sent by the gateway for a client with all permissions. */
export const callOf = (changes: Partial<Call> = {}): Call =>
  clientCall('demo', { permissions: ['view.*'], ...changes });

export const operatorCall = (changes: Partial<Call> = {}) =>
  callOf({ retailer: '', principal: { kind: 'operator', id: 'operator' }, permissions: [], ...changes });

export { refusalOf } from '@receipts/testing';

/** The service on a real database, with a broker that delivers immediately and records the events. */
export interface AdminWorld {
  readonly events: CloudEvent[];
  readonly database: Database;
  /** Dead letters, keyed by queue. */
  readonly deadLetters: Map<string, (DeadLetter & { content: unknown })[]>;
  /** The endpoints whose filters a change of dynamic fields makes invalid, as delivery finds them. */
  invalidated: readonly string[];
  /** Simulates a reconnect to the broker. */
  reconnect(): void;
  now: Date;
  ask<K extends keyof Contracts>(
    name: K,
    input?: RequestInput<Contracts[K]> & { contentType?: string },
    call?: Call,
  ): Promise<ReceivedReply<Contracts[K]>>;
  /** Deletes everything: equivalent to a new world, but cheaper. */
  reset(): Promise<void>;
  /** Stops the process but keeps the database open. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

export const operatorToken = 'the-token-of-the-operator';

const firstDay = new Date('2026-05-17T10:00:00.500Z');

/** The failure reason of a message that is dead-lettered again whenever it is replayed. */
export const failsAgain = 'fails again';

/** Dead-letter queues without a broker. */
function playedDeadLetters(queues: AdminWorld['deadLetters'], now: () => Date): DeadLetters {
  const taken = (queue: string, ids: readonly string[], until: Date) => {
    const all = queues.get(queue) ?? [];
    const wanted = all.filter(
      ({ id, lastFailedAt = '' }) => ids.includes(id) && lastFailedAt <= until.toISOString(),
    );
    queues.set(
      queue,
      all.filter((message) => !wanted.includes(message)),
    );
    return wanted;
  };
  return {
    list: (queue) => Promise.resolve(queues.get(queue) ?? []),
    show: (queue, wanted) => Promise.resolve(queues.get(queue)?.find(({ id }) => id === wanted)),
    replay: async (queue, ids, until) => {
      const replayed = taken(queue, ids, until);
      const again = replayed.filter(({ reason }) => reason === failsAgain);
      const lastFailedAt = new Date(now().getTime() + 1).toISOString();
      queues.get(queue)?.push(...again.map((one) => ({ ...one, lastFailedAt, attempts: one.attempts + 1 })));
      return replayed.length;
    },
    discard: async (queue, ids, until) => taken(queue, ids, until).length,
  };
}

/** The service on a database of its own. */
export async function adminWorld(access?: IntegratorAccess): Promise<AdminWorld> {
  return adminOn(await startDatabase('admin'), access);
}

/** A process of the service, on a database that other processes may share. */
export async function adminOn(
  database: Database,
  access?: IntegratorAccess,
  deadLetters: AdminWorld['deadLetters'] = new Map(),
): Promise<AdminWorld> {
  const events: CloudEvent[] = [];
  let handlers: Readonly<Record<string, Handler>> = {};
  const listeners = new Set<() => void>();
  const broker = {
    serve: (options: { handlers: unknown }) => {
      handlers = options.handlers as typeof handlers;
      return Promise.resolve({ close: () => Promise.resolve() });
    },
    publish: (published: readonly SerializedEvent[]) => {
      events.push(...published.map(readEvent));
      return Promise.resolve(published.map(() => true));
    },
    deadLetters: playedDeadLetters(deadLetters, () => world.now),
    subscribe: () => Promise.resolve({ close: () => Promise.resolve() }),
    ask: (contract: Contract, input: never, call: Call) => {
      const own = Object.entries(contracts).find(([, { name }]) => name === contract.name);
      if (own) return world.ask(own[0] as keyof Contracts, input, call);
      return contract.name === 'delivery.find-invalidated-filters'
        ? Promise.resolve({ body: { endpoints: world.invalidated }, meta: {}, replayed: false })
        : Promise.reject(new Error(`${contract.name} has no answer`));
    },
    onConnected: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    depth: (queues: readonly string[]) =>
      Promise.resolve(
        queues.map((queue) => ({
          queue,
          messages: deadLetters.get(queue.replace(/\.dead-letters$/, ''))?.length ?? 0,
          consumers: queue.startsWith('transform') ? 0 : 2,
        })),
      ),
  } as unknown as Broker;
  const world: AdminWorld = {
    events,
    deadLetters,
    invalidated: [],
    database,
    reconnect: () => listeners.forEach((listener) => listener()),
    now: firstDay,
    async ask(name, input = {} as never, call = callOf()) {
      const contract = contracts[name] as unknown as Contract;
      const { body, contentType, ...rest } = input as {
        body?: unknown;
        contentType?: string;
      };
      const sent: unknown = body === undefined ? undefined : JSON.parse(JSON.stringify(body));
      checkBody(contract, sent, contentType);
      const whole = { query: {}, headers: {}, params: {}, ...rest, body: sent, contentType };
      const reply = (await handlers[name]?.(whole as never, call)) as Reply;
      if (contract.output === rawOutput) return reply as never;
      const { body: answered } = reply as { body?: unknown };
      const printed = Buffer.isBuffer(answered) ? answered.toString() : JSON.stringify(answered);
      return { ...reply, body: printed === undefined ? undefined : JSON.parse(printed) } as never;
    },
    async reset() {
      for (const collection of await database.db.collections()) await collection.deleteMany({});
      events.length = 0;
      deadLetters.clear();
      world.invalidated = [];
      world.now = firstDay;
    },
    stop: () => admin.stop(),
    async close() {
      await admin.stop();
      await database.db.dropDatabase();
      await database.close();
    },
  };
  const admin = await startService({
    broker,
    database,
    sealer: sealer(masterKey),
    log: silentLog,
    access,
    publicUrl: 'https://receipts.example',
    operatorTokens: { ann: operatorToken, operator: `shared ${operatorToken}` },
    now: () => world.now,
  });
  return world;
}

/** The claim of a crashed process on a key expires after a while. */
export const letLeasesRunOut = ({ db }: Database) =>
  db
    .collection<IdempotencyRecord>(idempotencyCollection.name)
    .updateMany({ state: 'running' }, { $set: { leaseUntil: new Date(0) } });
