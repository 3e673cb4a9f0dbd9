import {
  identifierContracts,
  receiptStoreInternalEvents,
  retailerSettings,
  type ChangedReceipt,
  type Retailer,
} from '@receipts/contracts';
import {
  eventOf,
  newId,
  rawOutput,
  type Call,
  type CloudEvent,
  type EventRecord,
  type SerializedEvent,
  type Contract,
  type Handler,
  type Reply,
  type ReceivedReply,
  type RequestInput,
} from '@receipts/kernel';
import type { Broker, SubscribeOptions, Subscription } from '@receipts/messaging';
import type { Database } from '@receipts/storage';
import { checkBody, readEvent, silentLog, startDatabase } from '@receipts/testing';
import { startService } from '../service';
import { localProvider } from '../validation/local-provider';
import type { ValidationProvider } from '../validation/provider';

type Contracts = typeof identifierContracts;

export { callOf, refusalOf } from '@receipts/testing';

/** The parts of a receipt event that this service uses. */
export interface Facts {
  readonly id: string;
  readonly identifier: string | null;
  readonly timestamp?: string;
  readonly total?: number;
  readonly currency?: string;
  readonly duplicate?: boolean;
  readonly voided?: boolean;
  readonly arrival?: number;
}

export function receiptEvent(retailer: string, sequence: number, facts: Facts): EventRecord {
  const figures = {
    timestamp: '2026-01-01T10:00:00+00:00',
    total: 10,
    currency: 'EUR',
    duplicate: false,
    voided: false,
  };
  const data = { ...figures, store_reference: '1', properties: {}, arrival: 1, ...facts };
  const { receiptRecorded, receiptRevised } = receiptStoreInternalEvents;
  const contract = sequence === 1 ? receiptRecorded : receiptRevised;
  const call = { id: newId(), requestId: newId(), retailer };
  return readEvent(eventOf(contract, { subject: facts.id, sequence, data }, call, new Date()));
}

/** A receipt as returned by receipt-store for a catch-up; the figures are null if it was deleted. */
export function changedReceipt(version: number, facts: Facts | string): ChangedReceipt {
  const id = typeof facts === 'string' ? facts : facts.id;
  const known = { id, version, arrival: 1, arrived_timestamp: new Date().toISOString() };
  if (typeof facts === 'string') return { ...known, figures: null };
  const { arrival = 1, ...rest } = facts;
  const figures = {
    timestamp: '2026-01-01T10:00:00+00:00',
    total: 10,
    currency: 'EUR',
    duplicate: false,
    voided: false,
  };
  return { ...known, arrival, figures: { ...figures, store_reference: '1', properties: {}, ...rest } };
}

const changesPerPage = 3;

function retailerOf(id: string, settings: unknown): Retailer {
  return { id, name: id, vatno: null, settings: retailerSettings.parse(settings ?? {}), version: 1 };
}

/** The service on a real database, with a broker that delivers immediately and records the events. */
export interface World {
  readonly database: Database;
  readonly events: CloudEvent[];
  /** The settings of retailers before their first request. */
  readonly settings: Map<string, unknown>;
  /** The receipts in receipt-store, and those whose addresses delivery was asked to erase. */
  readonly receipts: { readonly id: string; readonly retailer: string; identifier: string | null }[];
  /** The packets in ingest that were posted with an identifier. */
  readonly packets: { readonly retailer: string; identifier: string | null; isConverting: boolean }[];
  readonly addressesForgotten: string[];
  /** The texts whose saved searches admin was asked to erase. */
  readonly searchesForgotten: string[];
  /** The changes that receipt-store lists for each retailer, in order. */
  readonly changes: Map<string, ChangedReceipt[]>;
  /** The results of the next requests to erase receipts. */
  readonly eraseFaults: Error[];
  /** The results of the next requests to erase addresses. */
  readonly forgetFaults: Error[];
  now: Date;
  ask<K extends keyof Contracts>(
    name: K,
    input: RequestInput<Contracts[K]>,
    call: Call,
  ): Promise<ReceivedReply<Contracts[K]>>;
  deliver(...events: EventRecord[]): Promise<void>;
  /** Simulates a lost connection to the broker. */
  reconnect(): void;
  close(): Promise<void>;
}

/** The default provider, which does not know any domain. */
export const noRoutes = localProvider({ find: () => Promise.resolve('none') });

/** The service on a database of its own. */
export async function startWorld(provider: ValidationProvider = noRoutes): Promise<World> {
  const database = await startDatabase('identifier');
  const events: CloudEvent[] = [];
  const settings = new Map<string, unknown>();
  const consumer = { close: () => Promise.resolve() };
  let handlers: Readonly<Record<string, Handler>> = {};
  const subscriptions: Subscription[] = [];
  const receipts: World['receipts'] = [];
  const packets: World['packets'] = [];
  const addressesForgotten: string[] = [];
  const searchesForgotten: string[] = [];
  const changes: World['changes'] = new Map();
  const others: Record<string, (body: any, retailer: string) => unknown> = {
    'admin.find-retailer': ({ id }) => ({ retailer: retailerOf(id, settings.get(id)) }),
    'admin.erase-searches': ({ texts }) => void searchesForgotten.push(...texts),
    'admin.list-retailers': () => ({
      retailers: [...changes.keys()].map((id) => retailerOf(id, settings.get(id))),
      next: null,
    }),
    'receipt-store.list-changes': ({ after, count }, retailer) => {
      const all = changes.get(retailer) ?? [];
      const from = Number(after ?? 0);
      const page = all.slice(from, from + Math.min(count, changesPerPage));
      const reached = from + page.length;
      const arrived = Math.max(0, ...all.slice(0, reached).map(({ arrival }) => arrival));
      return { changes: page, arrived, next: String(reached), more: reached < all.length };
    },
    'receipt-store.list-consumer-receipts': ({ identifier, after, count }, retailer) => {
      const own = receipts.filter((one) => one.retailer === retailer && one.identifier === identifier);
      const page = own.slice(after, after + count).map(({ id }) => ({ id, identifier }));
      return { receipts: page, next: after + count < own.length ? after + count : null };
    },
    'receipt-store.erase-consumer': ({ identifier, receipts: ids }, retailer) => {
      const fault = world.eraseFaults.pop();
      if (fault) throw fault;
      // Two receipts at a time, so that the erasure has to be requested again.
      const isOwn = (one: World['receipts'][number]) =>
        one.retailer === retailer && one.identifier === identifier && ids.includes(one.id);
      const own = receipts.filter(isOwn);
      for (const receipt of own.slice(0, 2)) receipt.identifier = null;
      return { erased: Math.min(2, own.length), done: own.length <= 2 };
    },
    'receipt-store.erase-raw-data': ({ identifier }, retailer) => {
      const own = packets.filter((one) => one.retailer === retailer && one.identifier === identifier);
      const isComplete = own.every(({ isConverting }) => !isConverting);
      if (isComplete) for (const packet of own) packet.identifier = null;
      return { is_complete: isComplete };
    },
    'delivery.erase-addresses': (body) => {
      const fault = world.forgetFaults.pop();
      if (fault) throw fault;
      const named = receipts.filter(
        ({ id, identifier }) => body.receipts.includes(id) && identifier !== null,
      );
      if (named.length > 0) throw new Error('a receipt that still names its consumer can be sent again');
      addressesForgotten.push(...body.receipts, ...(body.person === undefined ? [] : [body.person]));
    },
  };
  const upListeners = new Set<() => void>();
  const broker = {
    serve: (options: { handlers: unknown }) => {
      handlers = options.handlers as typeof handlers;
      return Promise.resolve(consumer);
    },
    subscribe: (options: SubscribeOptions) => {
      subscriptions.push(...options.subscriptions);
      return Promise.resolve(consumer);
    },
    publish: (published: readonly SerializedEvent[]) => {
      events.push(...published.map(readEvent));
      return Promise.resolve(published.map(() => true));
    },
    onConnected: (listener: () => void) => {
      upListeners.add(listener);
      return () => upListeners.delete(listener);
    },
    ask: async ({ name }: Contract, { body }: { body: any }, { retailer }: Call) => ({
      body: await others[name]?.(body, retailer),
    }),
  } as unknown as Broker;
  const world: World = {
    database,
    settings,
    receipts,
    packets,
    addressesForgotten,
    searchesForgotten,
    changes,
    eraseFaults: [],
    forgetFaults: [],
    events,
    now: new Date('2026-05-17T10:00:00.500Z'),
    async ask(name, input, call) {
      const contract = identifierContracts[name] as unknown as Contract;
      const { body } = input as { body?: unknown };
      const { contentType } = input as { contentType?: string };
      if (body !== undefined && !Buffer.isBuffer(body)) checkBody(contract, body, contentType);
      const reply = (await handlers[name]?.(
        { query: {}, params: {}, headers: {}, ...input } as never,
        call,
      )) as Reply;
      const { body: answered } = reply as { body?: unknown };
      if (contract.output === rawOutput) return { ...reply, body: String(answered) } as never;
      const printed = Buffer.isBuffer(answered) ? answered.toString() : JSON.stringify(answered);
      return { ...reply, body: printed === undefined ? undefined : JSON.parse(printed) } as never;
    },
    async deliver(...batch) {
      for (const { contracts, handle } of subscriptions) {
        const matching = batch.filter((event) => contracts.some(({ type }) => type === event.type));
        if (matching.length > 0) await handle(matching);
      }
    },
    reconnect() {
      for (const listener of upListeners) listener();
    },
    async close() {
      await service.stop();
      await database.close();
    },
  };
  const service = await startService({
    broker,
    database,
    log: silentLog,
    provider,
    secrets: ['of a test'],
    catchUpDelayMs: 1,
    now: () => world.now,
  });
  return world;
}
