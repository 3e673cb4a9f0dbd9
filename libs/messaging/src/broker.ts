import type {
  SendRequest,
  RequestInput,
  Call,
  Contract,
  Log,
  SerializedEvent,
  Tracing,
} from '@receipts/kernel';
import type { BrokerState, MessagingMetrics } from './reporting/metrics';
import type { RawRequest } from './message/envelope';
import type { DeadLetters } from './inbound/dead-letters';
import type { RawReply } from './outbound/rpc-client';
import type { ServeOptions } from './inbound/handler-queue';
import type { Consumer } from './inbound/queue-consumer';
import type { SubscribeOptions } from './inbound/event-subscriber';

export interface BrokerOptions {
  /**
   * `amqp://user:password@host:5672`, or with the hosts of a cluster separated by commas; a heartbeat of 5 s is added
   * unless the URL sets one.
   */
  readonly url: string;
  /** The name of the service, shown in the broker and in each message. */
  readonly service: string;
  /** The prefix of all queues and exchanges, the same in all services; default `receipts`. */
  readonly platform?: string;
  /** Identifies this installation, so that another installation with the same prefix is rejected. */
  readonly installation?: string | undefined;
  readonly log: Log;
  readonly metrics?: MessagingMetrics;
  /** Records a span for each message that belongs to a trace; if absent, no spans are recorded. */
  readonly tracing?: Tracing | undefined;
  /** The delays of the retry queues in milliseconds, the same in all services; default 1 s, 10 s, 60 s and 10 min. */
  readonly retryDelaysMs?: readonly number[];
  /**
   * The age in milliseconds that a new quorum queue must reach before anything is routed to it; default 2,000. If
   * RabbitMQ is killed, it loses younger queues with all their confirmed messages. Only tests that do not kill the
   * broker may shorten it.
   */
  readonly newQueueWaitMs?: number;
  /**
   * How long a quarantined message (one that was in flight when processes died) may be handled before it is
   * dead-lettered; default 30 s.
   */
  readonly quarantineTimeoutMs?: number;
  readonly now?: () => number;
}

export interface QueueDepth {
  readonly queue: string;
  /** Messages ready for delivery; unacknowledged messages are not counted. */
  readonly messages: number;
  readonly consumers: number;
}

export interface Broker {
  /**
   * Sends a request to the owner of a contract and waits for the reply until the call's deadline.
   * @throws ServiceError the owner's error, or 503 `unavailable` if there is no reply in time (immediately if the
   * broker is down or blocked); even then, the owner may have executed the request
   */
  readonly ask: SendRequest;
  /** Like `ask`, with both bodies as serialized bytes. */
  askRaw(contract: Contract, request: RawRequest, call: Call): Promise<RawReply>;
  /**
   * Sends a one-way command, whose contract must declare `oneWay`, and resolves once the broker has confirmed it. The owner handles
   * it at least once.
   * @throws ServiceError 503 `unavailable` if the broker has not confirmed it before the call's deadline
   */
  send<C extends Contract>(contract: C, input: RequestInput<C>, call: Call): Promise<void>;
  /** Serves the contracts of one owner. Resolves once requests can arrive. */
  serve<T extends Record<string, Contract>>(options: ServeOptions<T>): Promise<Consumer>;
  /**
   * Publishes events, in batches to our own services and one by one to integrators: consecutive events of one type share
   * messages, and each queue gets the events of a retailer in the order of this call; other calls are independent. True
   * for each event that the broker has confirmed or that has no bound queue; the others may or may not have been published.
   */
  publish(events: readonly SerializedEvent[]): Promise<readonly boolean[]>;
  /**
   * Declares a queue that receives the events of these contracts, and handles them. Resolves once it is bound, unless
   * `boundWhen` is false.
   */
  subscribe(options: SubscribeOptions): Promise<Consumer>;
  /**
   * Binds the queue of a subscription with `boundWhen`, if this process does not know that it is bound. Once it resolves,
   * every published event of the contracts reaches the queue, even after a reconnect.
   * @throws ServiceError 503 if the broker is unavailable; the next connect then binds the queue
   */
  bind(queue: string): Promise<void>;
  readonly state: BrokerState;
  /**
   * Called after every connect, and when a queue is consumed again after an interruption, so that missed events can be
   * fetched.
   */
  onConnected(listener: () => void): () => void;
  readonly deadLetters: DeadLetters;
  /** The depths of the queues, without those whose node is away. */
  depth(queues: readonly string[]): Promise<QueueDepth[]>;
  /**
   * Stops consuming, finishes work in progress and waits for confirms, all within `graceMs` (8 s by default), and closes.
   * Never rejects.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}
