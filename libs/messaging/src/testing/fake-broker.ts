import { within } from '@receipts/concurrency';
import {
  retrySoon,
  silentLog,
  ServiceError,
  storesDenied,
  unavailable,
  type BatchHandler,
  type Call,
  type CloudEvent,
  type Contract,
  type EventRecord,
  type Handler,
  type Input,
  type SerializedEvent,
  type Reply,
  type ReceivedReply,
  type RequestInput,
} from '@receipts/kernel';
import type { Broker, QueueDepth } from '../broker';
import { createHandlerQueue, servedContracts, type Job, type ServeOptions } from '../inbound/handler-queue';
import type { HandlerResult } from '../inbound/outcome';
import { handlerTimeoutMs, type BatchQueue } from '../inbound/batch-queue';
import { graceDefaultMs, type Consumer } from '../inbound/queue-consumer';
import type { SubscribeOptions } from '../inbound/event-subscriber';
import {
  noBytes,
  type RequestHeader,
  requestHead,
  serializeRequest,
  type RawRequest,
} from '../message/envelope';
import { parseReplyBody, type RawReply } from '../outbound/rpc-client';
import type { BrokerState } from '../reporting/metrics';
import { commandQueue } from '../topology/queues';
import { FakeDeadLetters, type FakeCommand } from './fake-dead-letters';

/** A recorded request or command. */
export interface Received {
  readonly kind: 'asked' | 'sent';
  readonly name: string;
  readonly request: RawRequest & { readonly body: Buffer };
  /** The input as passed: a value or bytes. */
  readonly body: unknown;
  readonly call: Call;
}

type Played = Omit<RawReply, 'replayed'> & Partial<Pick<RawReply, 'replayed'>>;
type PlayAll = (contract: Contract, request: Received['request'], call: Call) => Played | Promise<Played>;

interface FakeJob extends Job {
  /** False if the caller is no longer waiting. */
  readonly isWanted: () => boolean;
  readonly finish: (outcome: HandlerResult) => void;
}

interface Served {
  readonly handler: Handler | BatchHandler;
  readonly awaited: BatchQueue<FakeJob>;
  readonly oneWay: BatchQueue<FakeJob>;
}

const bareFault = { status: 500, description: 'internal error' };
/** The maximum delay of `setTimeout`. */
const timerMaxMs = 2 ** 31 - 1;

const printed = (value: unknown): Buffer =>
  Buffer.isBuffer(value) ? value : value === undefined ? noBytes : Buffer.from(JSON.stringify(value));

function overTheWire<T>(value: T): T {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T);
}

/** @throws ServiceError the error that the caller gets after an expected error or a fault */
function replyOf(outcome: HandlerResult): RawReply {
  if ('error' in outcome)
    throw ServiceError.fromWire(
      outcome.error instanceof ServiceError ? overTheWire(outcome.error.toWire()) : bareFault,
    );
  const { meta, replayed = false }: Reply = outcome.reply;
  return { meta: overTheWire(meta), replayed, body: printed(outcome.reply.body) };
}

/**
 * A broker for tests that do not need RabbitMQ. It delivers in memory and handles messages like the real one: both pass
 * the same test suite. `answers` and `answer` simulate contracts that are not served here.
 */
export class FakeBroker implements Broker {
  state: BrokerState = 'up';
  readonly received: Received[] = [];
  readonly published: CloudEvent[] = [];
  /** The events that are sent only to the platform's services. */
  readonly figures: EventRecord[] = [];
  /** True while no published events get through. */
  isAway = false;
  /** The reply bodies of other services, by contract name. */
  readonly answers = new Map<string, (body: never, call: Call) => unknown>();
  /** The handler of all other services. Its errors are thrown to the caller. */
  answer: PlayAll | undefined;
  readonly deadLetters = new FakeDeadLetters((command) => this.hand(command));
  private readonly served = new Map<string, Served>();
  private readonly upListeners = new Set<() => void>();
  private readonly subscriptions: SubscribeOptions[] = [];
  private readonly inHand = new Map<string, number>();

  get last(): Received {
    const last = this.received.at(-1);
    if (!last) throw new Error('nothing reached the broker');
    return last;
  }

  async ask<C extends Contract>(contract: C, input: RequestInput<C>, call: Call): Promise<ReceivedReply<C>> {
    const { body } = input as { readonly body?: unknown };
    const reply = await this.askHandler(contract, serializeRequest(input), body, call);
    return { ...reply, body: parseReplyBody(contract, reply) } as ReceivedReply<C>;
  }

  askRaw(contract: Contract, request: RawRequest, call: Call): Promise<RawReply> {
    return this.askHandler(contract, request, request.body, call);
  }

  async send<C extends Contract>(contract: C, input: RequestInput<C>, call: Call): Promise<void> {
    const request = serializeRequest(input);
    if (!contract.oneWay) throw new Error(`${contract.name} can only be asked`);
    const { header, body } = this.receive('sent', contract, request, request.body, call);
    const { name, owner } = contract;
    if (this.served.has(name)) this.hand({ owner, header, body, attempts: 0 });
    else if (!this.answers.has(name) && !this.answer)
      throw retrySoon(unavailable, { internal: `${name} is not served` });
  }

  serve<T extends Record<string, Contract>>(options: ServeOptions<T>): Promise<Consumer> {
    const own = servedContracts(options).map((served) => {
      const queue = () =>
        createHandlerQueue<FakeJob>({
          ...served,
          log: silentLog,
          metrics: {},
          now: Date.now,
          destination: { exchange: '', key: '' },
          start: (job) => job.isWanted(),
          finish: (job, outcome) => job.finish(outcome),
        });
      return [
        served.contract.name,
        {
          handler: served.handler,
          awaited: queue(),
          oneWay: queue(),
        },
      ] as const;
    });
    for (const [name, served] of own) this.served.set(name, served);
    const close = async (graceMs = graceDefaultMs) => {
      for (const [name, served] of own) if (this.served.get(name) === served) this.served.delete(name);
      const idle = own.flatMap(([, { awaited, oneWay }]) => [awaited.idle(), oneWay.idle()]);
      await within(graceMs, 'ending the handlers', Promise.all(idle)).catch(() => {});
    };
    return Promise.resolve({ close });
  }

  publish(events: readonly SerializedEvent[]): Promise<readonly boolean[]> {
    if (this.isAway) return Promise.resolve(events.map(() => false));
    for (const { text, isInternal } of events) {
      if (isInternal) this.figures.push(JSON.parse(text) as EventRecord);
      else this.published.push(JSON.parse(text) as CloudEvent);
    }
    return Promise.resolve(events.map(() => true));
  }

  subscribe(options: SubscribeOptions): Promise<Consumer> {
    this.subscriptions.push(options);
    return Promise.resolve({ close: () => Promise.resolve() });
  }

  bind(): Promise<void> {
    return Promise.resolve();
  }

  onConnected(listener: () => void): () => void {
    this.upListeners.add(listener);
    return () => void this.upListeners.delete(listener);
  }

  /** Simulates a lost connection. */
  reconnect(): void {
    for (const listener of this.upListeners) listener();
  }

  depth(queues: readonly string[]): Promise<QueueDepth[]> {
    const deadLettersIn = (queue: string) => this.deadLetters.count(queue.replace(/\.dead-letters$/, ''));
    return Promise.resolve(
      queues.map((queue) => ({
        queue,
        messages: queue.endsWith('.dead-letters') ? deadLettersIn(queue) : (this.inHand.get(queue) ?? 0),
        consumers: 1,
      })),
    );
  }

  close(): Promise<void> {
    this.state = 'down';
    return Promise.resolve();
  }

  /** Calls a handler directly, with a possibly incomplete input and an unserialized reply. */
  async call<C extends Contract>(contract: C, input: Partial<Input<C>>, call: Call): Promise<Reply<C>> {
    const [outcome] = await this.callAll(contract, [{ input, call }]);
    if (outcome instanceof ServiceError) throw outcome;
    return outcome as Reply<C>;
  }

  /** Several concurrent requests: one batch if the handler accepts batches. */
  async callAll<C extends Contract>(
    contract: C,
    items: readonly { readonly input: Partial<Input<C>>; readonly call: Call }[],
  ): Promise<readonly (Reply<C> | ServiceError)[]> {
    const handler = this.served.get(contract.name)?.handler;
    if (!handler) throw new Error(`nobody handles ${contract.name}`);
    if (typeof handler !== 'function')
      return (await handler.batch(items as never)) as (Reply<C> | ServiceError)[];
    const outcomes = items.map(({ input, call }) =>
      handler(input as never, call).catch((error: unknown) => {
        if (error instanceof ServiceError) return error;
        throw error;
      }),
    );
    return Promise.all(outcomes) as Promise<(Reply<C> | ServiceError)[]>;
  }

  /** Delivers an event to the subscribers of its type. */
  async deliver(event: Pick<CloudEvent, 'type' | 'data'>): Promise<void> {
    for (const { contracts, handle } of this.subscriptions.flatMap(({ subscriptions }) => subscriptions)) {
      if (contracts.some(({ type }) => type === event.type)) await handle([event as CloudEvent]);
    }
  }

  private receive(
    kind: Received['kind'],
    contract: Contract,
    request: RawRequest,
    given: unknown,
    call: Call,
  ) {
    if (call.deadline <= Date.now()) throw retrySoon(unavailable, { internal: 'the deadline has passed' });
    if (this.state !== 'up') throw retrySoon(unavailable, { internal: `the broker is ${this.state}` });
    const { body = noBytes } = request;
    this.received.push({ kind, name: contract.name, request: { ...request, body }, body: given, call });
    return { header: JSON.parse(requestHead(1, contract, request, call)) as RequestHeader, body };
  }

  private async askHandler(
    contract: Contract,
    request: RawRequest,
    given: unknown,
    call: Call,
  ): Promise<RawReply> {
    const { header, body } = this.receive('asked', contract, request, given, call);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const end = () => reject(retrySoon(unavailable, { internal: 'no answer before the deadline' }));
      timer = setTimeout(end, Math.min(call.deadline - Date.now(), timerMaxMs)).unref();
    });
    const reply = this.reply(contract, { ...request, body }, given, header);
    return Promise.race([reply, late]).finally(() => clearTimeout(timer));
  }

  private async reply(
    contract: Contract,
    request: Received['request'],
    given: unknown,
    header: RequestHeader,
  ): Promise<RawReply> {
    const { name } = contract;
    const served = this.served.get(name);
    if (served) {
      const outcome = await new Promise<HandlerResult>((finish) => {
        const isWanted = () => header.call.deadline > Date.now();
        served.awaited.add({
          header,
          body: request.body,
          call: header.call,
          isWanted,
          finish,
        });
      });
      return replyOf(outcome);
    }
    if (header.call.stores && !contract.forStores) throw storesDenied();
    const played = this.answers.get(name);
    if (played) {
      const body = printed(await played(given as never, header.call));
      return { meta: undefined, replayed: false, body };
    }
    if (!this.answer) throw retrySoon(unavailable, { internal: `${name} is not served` });
    return { replayed: false, ...(await this.answer(contract, request, header.call)) };
  }

  /** Passes a one-way command to its handler, with its own deadline. */
  private hand(command: FakeCommand): void {
    const { header, body } = command;
    const queue = commandQueue(command.owner);
    const count = (change: number) => this.inHand.set(queue, (this.inHand.get(queue) ?? 0) + change);
    count(1);
    const call: Call = { ...header.call, deadline: Date.now() + handlerTimeoutMs, isOneWay: true };
    const finish = (outcome: HandlerResult) => {
      count(-1);
      if ('error' in outcome) this.deadLetters.failed(command, outcome.error);
    };
    this.served.get(header.type)?.oneWay.add({ header, body, call, isWanted: () => true, finish });
  }
}
