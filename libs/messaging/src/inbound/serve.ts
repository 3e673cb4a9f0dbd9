import { ServiceError, unavailable } from '@receipts/kernel';
import type { BatchHandler, Call, Contract, Handler, Handlers, Reply, Span, Tracing } from '@receipts/kernel';
import { Consumption, type Delivery } from './consumption';
import {
  noBytes,
  packEnvelope,
  unpackEnvelope,
  type RequestHeader,
  type Unpacked,
} from '../message/envelope';
import type { Failed, Failures } from './failures';
import { laneOf } from './handling';
import { outcomeOfError, type Job, type Outcome } from './job';
import { handlerTimeoutMs, type Lane } from './lane';
import type { Link } from '../connection/link';
import { faultFields, type Log } from '../reporting/log';
import type { MessagingMetrics } from '../reporting/metrics';
import { errorTypeOf, processSpan, type Destination } from '../reporting/spans';
import type { Names } from '../topology/names';
import { textOf } from '../message/properties';
import { factsOf } from '../outbound/outgoing';
import type { Replier } from '../outbound/replier';
import { SenderClocks } from './sender-clocks';
import { within } from '../connection/time-limit';
import {
  commandQueue,
  rpcQueue,
  safeQueue,
  suspectsOf,
  volatileQueue,
  type QueueSet,
} from '../topology/queues';
import type { Topology } from '../topology/topology';

/** Maximum unacknowledged messages per consumer. */
const prefetchMessages = 64;
/**
 * A message that was delivered this often may contain an item that kills its process, so its items are handled alone.
 */
export const deliveriesBeforeSplit = 2;

/**
 * No caller waits for a confirmed command, so a few of them gather: what they cause, in this process and in others, then
 * comes as a batch. At 170 packets a second that takes 18 % less processor time (November 2026).
 */
const confirmedGatherMs = 25;

/** Consumes one or more queues. */
export interface Consumer {
  /** Stops consuming, finishes and answers the started items, and returns the rest to the broker. */
  close(graceMs?: number): Promise<void>;
}

export interface ServeOptions<T extends Record<string, Contract>> {
  /** The service that owns the queues, which is the first part of the contracts' names. */
  readonly owner: string;
  readonly contracts: T;
  readonly handlers: Handlers<T>;
  /** Maximum items per call of a batch handler; default 256. */
  readonly batchMax?: number;
  /** Concurrent calls of single-item handlers per contract, for all contracts or by name; default 128. */
  readonly concurrency?: number | { readonly [K in keyof T]?: number };
}

export interface Serving {
  readonly names: Names;
  readonly link: Link;
  readonly topology: Topology;
  readonly replier: Replier;
  readonly failures: Failures;
  readonly log: Log;
  readonly metrics: MessagingMetrics;
  readonly tracing: Tracing | undefined;
  readonly now: () => number;
  /** How long a suspect may be handled before it is dead-lettered. */
  readonly suspectTimeoutMs: number;
  /** See `BrokerOptions`. */
  readonly giveUp: (reason: Error) => void;
  readonly resubscribed: () => void;
}

export const graceDefaultMs = 8_000;
const moveTimeoutMs = 3_000;

/** Serves the contracts of one owner from its queues: confirmed commands, suspects, RPC commands and RPC queries. */
export async function serve<T extends Record<string, Contract>>(
  serving: Serving,
  options: ServeOptions<T>,
): Promise<Consumer> {
  const server = new Server(serving, options.owner);
  for (const [key, contract] of Object.entries(options.contracts)) {
    const handler = options.handlers[key] as Handler | BatchHandler;
    const concurrency = concurrencyOf(options.concurrency, key);
    const common = { ...serving, contract, handler };
    const lane = (gatherMs: number) =>
      laneOf({ ...common, batchMax: options.batchMax, concurrency, gatherMs });
    server.add(contract, lane, () =>
      laneOf({
        ...common,
        batchMax: 1,
        concurrency: 1,
        timeoutMs: serving.suspectTimeoutMs,
        // Suspects that hang are dead-lettered.
        giveUp: undefined,
      }),
    );
  }
  await server.start(Object.values(options.contracts));
  return server;
}

function concurrencyOf(
  concurrency: number | Readonly<Record<string, number | undefined>> | undefined,
  key: string,
): number | undefined {
  return typeof concurrency === 'object' ? concurrency[key] : concurrency;
}

class Server implements Consumer {
  readonly #serving: Serving;
  readonly #owner: string;
  /**
   * Lanes of requests with a waiting caller. They are separate from confirmed commands, so that a backlog does not
   * delay replies.
   */
  readonly #awaited = new Map<string, Lane<Job>>();
  readonly #confirmed = new Map<string, Lane<Job>>();
  readonly #suspects = new Map<string, Lane<Job>>();
  readonly #consumptions: Consumption[] = [];
  readonly #clocks: SenderClocks;

  constructor(serving: Serving, owner: string) {
    this.#serving = serving;
    this.#owner = owner;
    this.#clocks = new SenderClocks(serving.now, serving.log);
  }

  add(contract: Contract, newLane: (gatherMs: number) => Lane<Job>, newLoneLane: () => Lane<Job>): void {
    this.#awaited.set(contract.name, newLane(0));
    if (contract.kind !== 'command') return;
    this.#confirmed.set(contract.name, newLane(confirmedGatherMs));
    this.#suspects.set(contract.name, newLoneLane());
  }

  async start(contracts: readonly Contract[]): Promise<void> {
    const rpc = (kind: 'command' | 'query') => {
      const name = this.#serving.names.queue(rpcQueue(this.#owner, kind));
      return this.#consume(volatileQueue(name), (delivery) => this.#takeRequests(name, delivery));
    };
    const started: Promise<void>[] = [];
    if (contracts.some(({ kind }) => kind === 'query')) started.push(rpc('query'));
    if (contracts.some(({ kind }) => kind === 'command')) {
      const { names } = this.#serving;
      const name = names.queue(commandQueue(this.#owner));
      const binding = { queue: name, exchange: names.commands, key: name };
      const queues = safeQueue(name, this.#serving.topology.steps, [binding]);
      started.push(rpc('command'));
      started.push(this.#consume(queues, (delivery) => this.#takeCommands(name, delivery)));
      const suspects = suspectsOf(name);
      started.push(this.#consume(suspects, (delivery) => this.#takeCommands(name, delivery, true), 1));
    }
    await Promise.all(started);
  }

  async close(graceMs: number = graceDefaultMs): Promise<void> {
    await Promise.all(this.#consumptions.map((consumption) => consumption.cancel()));
    const lanes = [this.#awaited, this.#confirmed, this.#suspects].flatMap((kind) => [...kind.values()]);
    for (const lane of lanes) lane.drop((job) => !job.isBegun());
    const idle = Promise.all(lanes.map((lane) => lane.idle()));
    await within(graceMs, 'ending the handlers', idle).catch((error: unknown) => {
      this.#serving.log.warn('handlers did not end in time; their messages go back', faultFields(error));
    });
    this.#serving.replier.flush();
    const moved = this.#serving.failures.idle();
    await within(moveTimeoutMs, 'putting failed messages aside', moved).catch(() => {});
    await Promise.all(this.#consumptions.map((consumption) => consumption.close()));
  }

  async #consume(
    queues: QueueSet,
    deliver: (delivery: Delivery) => void,
    prefetch = prefetchMessages,
  ): Promise<void> {
    const { link, topology, log, resubscribed } = this.#serving;
    const common = { link, topology, log, resubscribed, prefetch };
    const consumption = new Consumption({ ...common, deliver, queues: () => queues });
    this.#consumptions.push(consumption);
    await consumption.start();
  }

  #takeRequests(queue: string, delivery: Delivery): void {
    const unpacked = this.#unpack(queue, delivery);
    if (!unpacked) return delivery.done();
    const replyTo: unknown = delivery.message.properties.replyTo;
    const { now, replier } = this.#serving;
    const items = unpacked.map((item) => {
      const call = this.#clocks.localCall(String(replyTo), item.header.call);
      return call === item.header.call ? item : { ...item, header: { ...item.header, call } };
    });
    this.#take(items, delivery, {
      destination: { exchange: '', key: queue },
      lanes: this.#awaited,
      call: (call) => call,
      isWanted: (call) => call.deadline > now(),
      finish: (item, outcome, done) => {
        if (typeof replyTo === 'string') {
          const { id, call } = item.header;
          replier.reply(replyTo, { ...this.#answer(item, id, outcome), deadline: call.deadline });
        }
        done();
      },
    });
  }

  #takeCommands(queue: string, delivery: Delivery, isAlone = false): void {
    const items = this.#unpack(queue, delivery);
    const { failures, now } = this.#serving;
    if (!items) {
      const { message } = delivery;
      const failed = {
        ...failedOf(queue, message),
        content: message.content,
        error: new Error('not an envelope'),
      };
      return void failures.deadLetter(failed).then((isSafe) => isSafe && delivery.done());
    }
    const moved = (item: Unpacked<RequestHeader>, error: unknown): Failed => ({
      ...failedOf(queue, delivery.message, item),
      error,
    });
    if (!isAlone && delivery.deliveriesBefore >= deliveriesBeforeSplit) {
      const isolated = Promise.all(items.map((item) => failures.isolate(moved(item, undefined))));
      return void isolated.then((safe) => safe.every(Boolean) && delivery.done());
    }
    this.#take(items, delivery, {
      destination: { exchange: this.#serving.names.commands, key: queue },
      lanes: isAlone ? this.#suspects : this.#confirmed,
      // A hanging suspect would block all suspects behind it until the process ends.
      ...(isAlone && {
        hung: (item, done) => {
          const error = new Error('handling it alone took too long');
          void failures.deadLetter(moved(item, error)).then((isSafe) => isSafe && done());
        },
      }),
      // The broker has accepted the command, so the caller's deadline no longer applies to the owner.
      call: (call) => ({ ...call, deadline: now() + handlerTimeoutMs }),
      isWanted: () => true,
      finish: (item, outcome, done) => {
        if (outcome.kind === 'reply') {
          failures.succeeded(queue, delivery.message.properties);
          return done();
        }
        const error = outcome.kind === 'refusal' ? outcome.refusal : outcome.fault;
        void failures.move(moved(item, error)).then((isSafe) => isSafe && done());
      },
    });
  }

  #unpack(queue: string, delivery: Delivery): Unpacked<RequestHeader>[] | undefined {
    try {
      const items = unpackEnvelope<RequestHeader>(delivery.message.content);
      this.#serving.metrics.consumed?.(queue, items.length);
      return items;
    } catch (error) {
      this.#serving.log.error('a message is not an envelope', { queue, ...faultFields(error) });
      return undefined;
    }
  }

  #take(
    items: readonly Unpacked<RequestHeader>[],
    delivery: Delivery,
    how: {
      destination: Destination;
      lanes: ReadonlyMap<string, Lane<Job>>;
      call: (call: Call) => Call;
      isWanted: (call: Call) => boolean;
      finish: (item: Unpacked<RequestHeader>, outcome: Outcome, done: () => void) => void;
      /** Called instead of `finish` when the handler takes too long; without it there is no time limit. */
      hung?: (item: Unpacked<RequestHeader>, done: () => void) => void;
    },
  ): void {
    let left = items.length;
    let isBegun = false;
    const itemDone = () => {
      if (--left === 0) delivery.done();
    };
    for (const item of items) {
      const { header } = item;
      let call: Call | undefined;
      let span: Span | undefined;
      let timeoutTimer: NodeJS.Timeout | undefined;
      let isGivenUp = false;
      const giveUp = () => {
        isGivenUp = true;
        span?.end('timeout');
        how.hung?.(item, itemDone);
      };
      const job: Job = {
        ...item,
        get call() {
          return (call ??= how.call(span ? { ...header.call, traceparent: span.traceparent } : header.call));
        },
        destination: how.destination,
        get span() {
          return span;
        },
        isBegun: () => isBegun,
        start: () => {
          isBegun = true;
          if (!how.isWanted(header.call)) {
            itemDone();
            return false;
          }
          const { tracing } = this.#serving;
          if (tracing)
            span = processSpan(tracing, how.destination, factsOf({ name: header.type }, header.call));
          if (how.hung) timeoutTimer = setTimeout(giveUp, this.#serving.suspectTimeoutMs).unref();
          return true;
        },
        finish: (outcome) => {
          clearTimeout(timeoutTimer);
          span?.end(failureOf(outcome));
          if (!isGivenUp) how.finish(item, outcome, itemDone);
        },
      };
      const lane = how.lanes.get(header.type);
      if (lane) lane.add(job);
      else {
        // During a rollout, another instance of a different version may serve it.
        const internal = `${header.type} is not served here`;
        job.finish(outcomeOfError(new ServiceError(unavailable, { internal })));
      }
    }
    if (items.length === 0) delivery.done();
  }

  #answer(item: Unpacked<RequestHeader>, id: number, outcome: Outcome): { head: string; body: Buffer } {
    if (outcome.kind === 'reply') {
      try {
        return answerOf(id, outcome.reply);
      } catch (error) {
        return this.#answer(item, id, { kind: 'fault', fault: error });
      }
    }
    if (outcome.kind === 'refusal') {
      return { head: JSON.stringify({ id, error: outcome.refusal.toWire(), n: 0 }), body: noBytes };
    }
    const { type, call } = item.header;
    this.#serving.log.error('a handler failed', {
      type,
      request_id: call.requestId,
      call_id: call.id,
      ...faultFields(outcome.fault),
    });
    return { head: JSON.stringify({ id, error: internalError, n: 0 }), body: noBytes };
  }
}

/** The error of an outcome for its span; a refusal that is the caller's fault is not an error of this service. */
function failureOf(outcome: Outcome): string | undefined {
  if (outcome.kind === 'fault') return errorTypeOf(outcome.fault);
  const isOurs = outcome.kind === 'refusal' && outcome.refusal.status >= 500;
  return isOurs ? String(outcome.refusal.status) : undefined;
}

const internalError = { status: 500, description: 'internal error' };

function answerOf(id: number, reply: Reply): { head: string; body: Buffer } {
  const { meta, replayed } = reply;
  const value: unknown = reply.body;
  const body =
    value === undefined ? noBytes : Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value));
  return { head: JSON.stringify({ id, meta, replayed, n: body.length }), body };
}

/** The description of a failed message, or of one item of it. */
function failedOf(
  queue: string,
  { content, properties }: Delivery['message'],
  item?: Unpacked<RequestHeader>,
): Omit<Failed, 'error'> {
  if (!item) {
    const type = textOf(properties.type) ?? 'unknown';
    return { queue, type, content, properties, retailer: '', traceparent: undefined };
  }
  const { call, type } = item.header;
  return {
    ...{ queue, type, properties, retailer: call.retailer, traceparent: call.traceparent },
    content: packEnvelope([{ head: JSON.stringify(item.header), body: item.body }]),
    messageId: call.id,
    correlationId: call.requestId,
  };
}
