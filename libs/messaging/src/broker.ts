import type { Call, Contract, ContractShape, Input, PrintedEvent, Reply, Tracing } from '@receipts/kernel';
import type { z } from 'zod';
import type { Announce } from './outbound/event-publisher';
import type { Log } from './reporting/log';
import type { BrokerState, MessagingMetrics } from './reporting/metrics';
import type { RawRequest } from './outbound/outgoing';
import type { Parked } from './inbound/parked';
import type { RawReply } from './outbound/requester';
import type { Consumer, ServeOptions } from './inbound/serve';
import type { SubscribeOptions, Subscriber } from './inbound/subscribe';

export interface BrokerOptions {
  /** `amqp://user:password@host:5672`; a heartbeat of 5 s is added unless the address has one. */
  readonly url: string;
  /** The name of the service, shown in the broker and in each message. */
  readonly service: string;
  /** What every queue and exchange begins with; `receipts` unless given. The same in all services. */
  readonly platform?: string;
  /** Names this installation, so that another one with a platform of the same name is refused. */
  readonly installation?: string | undefined;
  readonly log: Log;
  readonly metrics?: MessagingMetrics;
  /** Records a span for each message that belongs to a trace; none without it. */
  readonly tracing?: Tracing | undefined;
  /** Milliseconds of the retry queues; 1 s, 10 s, 60 s and 10 min unless given. Must be the same in all services. */
  readonly retryDelaysMs?: readonly number[];
  /**
   * Milliseconds that a new quorum queue must live before anything is routed to it; 2,000 unless given. RabbitMQ loses a
   * younger one with all that was confirmed in it when it is killed. Only tests that kill no broker may shorten it.
   */
  readonly newQueueWaitMs?: number;
  /** How long a message that was in hand when processes died may be handled before it is parked; 30 s unless given. */
  readonly suspectTimeoutMs?: number;
  /** `when-bound` unless given: what nobody is bound to is not published, but for one event in each batch that asks. */
  readonly announce?: Announce;
  readonly now?: () => number;
}

/** What a caller gives: the members that the contract declares. The body may be ready bytes. */
export type AskInput<C extends ContractShape> = {
  readonly [K in keyof Input<C> as Input<C>[K] extends undefined ? never : K]?: K extends 'body'
    ? Input<C>[K] | Buffer
    : Input<C>[K];
};

type AnswerBody<O> = O extends z.ZodType ? z.output<O> : O extends 'raw' ? Buffer : undefined;

export interface Answer<C extends ContractShape> {
  readonly body: AnswerBody<C['output']>;
  readonly meta: Reply<C>['meta'];
  readonly replayed: boolean;
}

export interface QueueDepth {
  readonly queue: string;
  /** Messages that wait; those with a consumer are not counted. */
  readonly messages: number;
  readonly consumers: number;
}

export interface Broker {
  /**
   * Asks the owner of a contract and waits for the answer until the call's deadline.
   * @throws ServiceError: the owner's refusal, or 503 `unavailable` when there is no answer in time, at once when the broker
   * is down or blocked. The owner may have done it all the same.
   */
  ask<C extends Contract>(contract: C, input: AskInput<C>, call: Call): Promise<Answer<C>>;
  /** The same with ready bytes on both sides. */
  askRaw(contract: Contract, request: RawRequest, call: Call): Promise<RawReply>;
  /**
   * Hands a command to the broker and returns once it is safe there. The owner will handle it at least once.
   * @throws ServiceError 503 `unavailable` when that did not happen before the call's deadline.
   */
  send<C extends Contract>(contract: C, input: AskInput<C>, call: Call): Promise<void>;
  sendRaw(contract: Contract, request: RawRequest, call: Call): Promise<void>;
  /** Serves the contracts of one owner. Resolves once requests can arrive. */
  serve<T extends Record<string, Contract>>(options: ServeOptions<T>): Promise<Consumer>;
  /**
   * Publishes events, to our own services in batches and to integrators one by one. True for each that the broker has safe, or
   * that nobody is bound to; the others may have been published or not.
   */
  publish(events: readonly PrintedEvent[]): Promise<readonly boolean[]>;
  /** Keeps a queue that gets the events of these contracts, and hands over what arrives. Resolves once it is bound. */
  subscribe(options: SubscribeOptions): Promise<Subscriber>;
  readonly state: BrokerState;
  /** Called after every connect, once everything is declared and consumed again: what was missed meanwhile can be fetched. */
  onUp(listener: () => void): () => void;
  readonly parked: Parked;
  depth(queues: readonly string[]): Promise<QueueDepth[]>;
  /** Takes no more work, ends what is begun, waits for confirms, and closes. Never rejects. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}
