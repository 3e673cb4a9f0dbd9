import {
  receiptDeletedError,
  type deliveryContracts,
  type Retailer,
  type ReturnedReceipt,
} from '@receipts/contracts';
import {
  ServiceError,
  type Call,
  type CloudEvent,
  type EventRecord,
  type Contract,
  type Handler,
  type SerializedEvent,
  type Reply,
  type ReceivedReply,
  type RequestInput,
} from '@receipts/kernel';
import type { Broker, SubscribeOptions } from '@receipts/messaging';
import type { Database } from '@receipts/storage';
import { readEvent, silentLog, startDatabase, until } from '@receipts/testing';
import type { ChannelAccounts } from '../sending/channels/accounts';
import type { Envelope } from '../sending/channels/email';
import type { Mail } from '../rendering/mail/mail';
import { noCounters } from '../delivery-counters';
import { startService } from '../service';
import { publicUrl, webhookParts } from './samples';

type Contracts = typeof deliveryContracts;

const arrivalsPerPage = 2;

/** The service on a real database. Broker, mail server and the other services are fakes. */
export interface World {
  readonly database: Database;
  readonly events: CloudEvent[];
  readonly mails: { readonly envelope: Envelope; readonly mail: Mail }[];
  /** How deliveries have ended: channel, status and reason of each. */
  readonly ended: string[];
  readonly retailers: Map<string, Retailer>;
  readonly receipts: Map<string, { readonly retailer: string; readonly receipt: ReturnedReceipt }>;
  /** Ids of receipts that receipt-store has deleted. */
  readonly deleted: Set<string>;
  readonly identifiers: Map<string, Record<string, unknown>>;
  /** Admin's replies about password resets; none for a reset that was replaced. */
  readonly passwordResets: Map<string, object | null>;
  /** The requests to other services, by contract name. */
  readonly asked: string[];
  /**
   * The published events of each owner, by retailer and owner (`shop|ingest`), in the order in which they are listed.
   */
  readonly published: Map<string, CloudEvent[]>;
  /** When each receipt arrived, for tests that look for receipts without events. */
  readonly arrivals: Map<string, Date>;
  /** Thrown by the mail server while it is set. */
  mailFault: Error | undefined;
  /** Runs while a mail is being sent. */
  duringMail: () => Promise<unknown>;
  /** Thrown by every other service while it is set. */
  askFault: Error | undefined;
  /** The errors that successive requests to a contract fail with, keyed by contract name. */
  readonly refusals: Map<string, ServiceError[]>;
  /** Callbacks that run between the next response of a contract and its arrival here, keyed by contract name. */
  readonly afterAnswers: Map<string, () => Promise<unknown>>;
  /** Admin's reply about any store. */
  foundStore: object | null;
  now: Date;
  ask<K extends keyof Contracts>(
    name: K,
    input: RequestInput<Contracts[K]>,
    call: Call,
  ): Promise<ReceivedReply<Contracts[K]>>;
  /** Passes events to the subscribers of their type, and returns the failures. */
  deliver(...events: EventRecord[]): Promise<readonly (Error | undefined)[]>;
  readonly until: typeof until;
  /** Stops the process but keeps the database open. */
  stop(): Promise<void>;
  /** Simulates a lost connection to the broker. */
  reconnect(): void;
  close(): Promise<void>;
}

const notFound = () => new ServiceError({ status: 404, code: 'not_found', description: 'not found' });

/** The service on a database of its own. */
export async function startWorld(webhooks = webhookParts(), accounts: ChannelAccounts = {}): Promise<World> {
  return startWorldOn(await startDatabase('delivery'), webhooks, accounts);
}

/** A process of the service, on a database that other processes may share. */
export async function startWorldOn(
  database: Database,
  webhooks = webhookParts(),
  accounts: ChannelAccounts = {},
): Promise<World> {
  const nothing = () => Promise.resolve();
  const consumer = { close: nothing };
  const subscriptions: SubscribeOptions[] = [];
  const bound = new Set<string>();
  let handlers: Readonly<Record<string, Handler>> = {};

  function receiptFor(id: string, call: Call): ReturnedReceipt {
    const found = world.receipts.get(id);
    const isHidden = call.consumers && !call.consumers.includes(found?.receipt.identifier ?? '');
    if (!found || found.retailer !== call.retailer || isHidden) throw notFound();
    if (world.deleted.has(id)) throw new ServiceError(receiptDeletedError);
    return found.receipt;
  }
  const answers: Record<string, (input: any, call: Call, owner: string) => unknown> = {
    'admin.find-store': () => ({ store: world.foundStore }),
    'admin.find-retailer': ({ body }) => ({ retailer: world.retailers.get(body.id) ?? null }),
    'admin.find-password-reset': ({ body }) => ({ reset: world.passwordResets.get(body.reset_id) ?? null }),
    'admin.list-notified-users': () => ({ users: [], next: null }),
    'admin.list-retailers': () => ({ retailers: [...world.retailers.values()], next: null }),
    'receipt-store.list-changes': ({ body: { after, arrived } }, { retailer }) => {
      const ids = [...world.arrivals.keys()].filter((id) => world.receipts.get(id)?.retailer === retailer);
      const from = Math.max(arrived, Number(after ?? 0));
      const change = (id: string) => ({
        id,
        version: 1,
        arrival: ids.indexOf(id) + 1,
        arrived_timestamp: world.arrivals.get(id)?.toISOString() ?? null,
        figures: world.deleted.has(id) ? null : { ...world.receipts.get(id)?.receipt, currency: 'EUR' },
      });
      const arrivals = ids.slice(from, from + arrivalsPerPage);
      const deletions = ids.slice(0, from).filter((id) => world.deleted.has(id));
      const reached = from + arrivals.length;
      return {
        changes: [...arrivals, ...deletions].map(change),
        arrived: reached,
        next: String(reached),
        more: reached < ids.length,
      };
    },
    'list-published-events': ({ body: { after } }, { retailer }, owner) => {
      const events = world.published.get(`${retailer}|${owner}`) ?? [];
      const from = after === null ? events.length : Number(after);
      const page = events.slice(from, from + arrivalsPerPage);
      const entries = page.map(({ id, subject, time }) => ({ id: subject, at: time, events: [id] }));
      const reached = from + page.length;
      return { entries, next: String(reached), more: reached < events.length };
    },
    'find-published-events': ({ body: { ids } }, { retailer }, owner) => ({
      events: (world.published.get(`${retailer}|${owner}`) ?? []).filter(({ subject }) =>
        ids.includes(subject),
      ),
    }),
    'receipt-store.get-receipt': ({ params }, call) => receiptFor(params.id, call),
    'receipt-store.list-receipts': ({ query }, call) => ({
      _links: {},
      receipts: [...world.receipts.values()]
        .filter(({ retailer }) => retailer === call.retailer)
        .map(({ receipt }) => receipt)
        .filter((receipt) => query.transaction_id.includes(receipt.transaction_id))
        .filter((receipt) => !call.consumers || call.consumers.includes(receipt.identifier ?? '')),
    }),
    'identifier.patch-identifier': ({ params, body }) => {
      const properties = world.identifiers.get(params.identifier);
      if (!properties) throw notFound();
      const tags = [
        ...((properties['opt-out'] as string[] | undefined) ?? []),
        ...body.properties['opt-out+='],
      ];
      world.identifiers.set(params.identifier, { ...properties, 'opt-out': [...new Set(tags)] });
    },
    'identifier.create-identifier': ({ body }) => {
      world.identifiers.set(body.identifier, body.properties);
    },
    'identifier.get-identifier': ({ params }) => {
      const properties = world.identifiers.get(params.identifier);
      if (!properties) throw notFound();
      return { identifier: params.identifier, properties };
    },
  };
  const upListeners = new Set<() => void>();
  const broker = {
    ask: async (contract: Contract, input: unknown, call: Call) => {
      world.asked.push(contract.name);
      if (world.askFault) throw world.askFault;
      const refusal = world.refusals.get(contract.name)?.shift();
      if (refusal) throw refusal;
      const [owner = '', request = ''] = contract.name.split('.');
      const answer = answers[contract.name] ?? answers[request];
      const body = await answer?.(input, call, owner);
      const next = world.afterAnswers.get(contract.name);
      world.afterAnswers.delete(contract.name);
      await next?.();
      return { body, meta: { version: 1 }, replayed: false };
    },
    serve: (options: { handlers: unknown }) => {
      handlers = options.handlers as typeof handlers;
      return Promise.resolve(consumer);
    },
    subscribe: async (options: SubscribeOptions) => {
      subscriptions.push(options);
      if (!options.boundWhen || (await options.boundWhen())) bound.add(options.queue);
      return consumer;
    },
    bind: (queue: string) => {
      bound.add(queue);
      return Promise.resolve();
    },
    publish: (published: readonly SerializedEvent[]) => {
      world.events.push(...published.map(readEvent));
      return Promise.resolve(published.map(() => true));
    },
    onConnected: (listener: () => void) => {
      upListeners.add(listener);
      return () => upListeners.delete(listener);
    },
  } as unknown as Broker;

  const world: World = {
    database,
    events: [],
    mails: [],
    ended: [],
    retailers: new Map(),
    receipts: new Map(),
    deleted: new Set(),
    identifiers: new Map(),
    passwordResets: new Map(),
    asked: [],
    published: new Map(),
    arrivals: new Map(),
    mailFault: undefined,
    duringMail: () => Promise.resolve(),
    askFault: undefined,
    refusals: new Map(),
    afterAnswers: new Map(),
    foundStore: null,
    now: new Date('2026-05-17T10:00:00.500Z'),
    async ask(name, input, call) {
      const handler = handlers[name] as Handler;
      const reply = (await handler({ query: {}, params: {}, ...input } as never, call)) as Reply;
      const { body, meta } = reply as { body?: unknown; meta?: { contentType?: string } };
      if (!Buffer.isBuffer(body)) return { ...reply, body } as never;
      const text = body.toString();
      return { ...reply, body: meta?.contentType === undefined ? JSON.parse(text) : text } as never;
    },
    async deliver(...batch) {
      const outcomes: (Error | undefined)[] = [];
      const receiving = subscriptions.filter(({ queue }) => bound.has(queue));
      for (const { contracts, handle } of receiving.flatMap((options) => options.subscriptions)) {
        const wanted = batch.filter((event) => contracts.some(({ type }) => type === event.type));
        if (wanted.length > 0) outcomes.push(...((await handle(wanted)) ?? []));
      }
      return outcomes;
    },
    until,
    stop: () => service.stop(),
    reconnect() {
      for (const listener of upListeners) listener();
    },
    async close() {
      await service.stop();
      await database.close();
    },
  };
  const service = await startService({
    idSecret: 'a secret',
    publicUrl,
    broker,
    database,
    log: silentLog,
    mailFrom: 'receipts@platform.example',
    alertPauses: { delayMs: 0, intervalMs: 0 },
    catchUpDelayMs: 1,
    counters: {
      ...noCounters,
      ended(channel, status, reason, count = 1) {
        for (let n = 0; n < count; n++) world.ended.push([channel, status, reason].join(' '));
      },
    },
    findLogo: () => Promise.resolve(undefined),
    accounts,
    ...webhooks,
    now: () => world.now,
    mailer: {
      send: async (envelope, mail) => {
        if (world.mailFault) throw world.mailFault;
        await world.duringMail();
        world.mails.push({ envelope, mail });
      },
    },
  });
  return world;
}
