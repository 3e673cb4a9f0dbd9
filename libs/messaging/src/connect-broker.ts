import { setTimeout as pause } from 'node:timers/promises';
import {
  crashProcess,
  retrySoon,
  unavailable,
  type ReceivedReply,
  type RequestInput,
  type Call,
  type Contract,
  type SerializedEvent,
} from '@receipts/kernel';
import type { Broker, BrokerOptions, QueueDepth } from './broker';
import { BrokerStatus, SupervisedConnection } from './connection/supervised-connection';
import type { Connection, WithConnection } from './connection/connection';
import { Pulse } from './pulse';
import { handlerTimeoutMs } from './inbound/batch-queue';
import { BrokerDeadLetters } from './inbound/dead-letters';
import { RetryRouter } from './inbound/retry-router';
import { commandConsumer } from './inbound/command-consumer';
import { EventSubscriber, type SubscribeOptions } from './inbound/event-subscriber';
import { servedContracts, type ServeOptions } from './inbound/handler-queue';
import { graceDefaultMs, type Consumer, type Serving } from './inbound/queue-consumer';
import type { BrokerContext } from './topology/broker-context';
import { serializeRequest, type RawRequest } from './message/envelope';
import { CommandSender } from './outbound/command-sender';
import { ConfirmedPublisher } from './outbound/confirmed-publisher';
import { EventPublisher } from './outbound/event-publisher';
import { ReplySender } from './inbound/reply-sender';
import { RpcServer } from './inbound/rpc-server';
import { parseReplyBody, RpcClient, type RawReply } from './outbound/rpc-client';
import type { BrokerState } from './reporting/metrics';
import { declareExchanges, TopologyNames } from './topology/topology-names';
import { retrySteps } from './topology/queues';
import { Topology, trustedAgeMs } from './topology/topology';

const depthMaxMs = 2_000;

/**
 * Connects to RabbitMQ with one connection for publishing and one for consuming, and reopens both whenever they are
 * lost.
 * @throws Error if it cannot connect to the broker within a minute, or another installation uses the prefix
 */
export async function connectBroker(options: BrokerOptions): Promise<Broker> {
  const broker = new RabbitBroker(options);
  await broker.start();
  return broker;
}

class RabbitBroker implements Broker {
  readonly deadLetters: Broker['deadLetters'];
  private readonly context: BrokerContext;
  private readonly status: BrokerStatus;
  private readonly publisher: ConfirmedPublisher;
  private readonly rpcClient: RpcClient;
  private readonly commandSender: CommandSender;
  private readonly replySender: ReplySender;
  private readonly eventPublisher: ConfirmedPublisher;
  private readonly events: EventPublisher;
  private readonly pulse: Pulse;
  private readonly serving: Serving;
  private readonly consumers = new Set<Consumer>();
  private readonly subscribers = new Map<string, EventSubscriber>();
  private isClosed = false;

  constructor(options: BrokerOptions) {
    const { url, service, log, metrics = {}, tracing, now = Date.now } = options;
    const { newQueueWaitMs = trustedAgeMs, quarantineTimeoutMs = handlerTimeoutMs } = options;
    const names = new TopologyNames(options.platform);
    const setup = declareExchanges(names, options.installation);
    const publishing = new SupervisedConnection({ url, log, name: `${service} publishes`, setup });
    const consuming = new SupervisedConnection({ url, log, name: `${service} consumes`, setup });
    const context = { names, service, publishing, consuming, log, metrics, tracing, now };
    this.context = context;
    this.status = new BrokerStatus(publishing, consuming, (state) => metrics.state?.(state));
    this.publisher = new ConfirmedPublisher(context, { name: 'commands' });
    // The queues of read models are not replicated. While the node of one is down, the confirms of events are missing.
    this.eventPublisher = new ConfirmedPublisher(context, { name: 'events' });
    this.rpcClient = new RpcClient(context);
    this.commandSender = new CommandSender(context, this.publisher);
    this.replySender = new ReplySender(context);
    this.events = new EventPublisher(context, this.eventPublisher);
    this.pulse = new Pulse(context, url);
    this.deadLetters = new BrokerDeadLetters(context, this.publisher, this.withConnection);
    const testSteps = options.retryDelaysMs?.map((delayMs) => ({ suffix: `retry.${delayMs}ms`, delayMs }));
    const steps = testSteps ?? retrySteps;
    this.serving = {
      ...context,
      quarantineTimeoutMs,
      topology: new Topology({ log, steps, newQueueWaitMs }),
      retries: new RetryRouter(context, this.publisher, steps),
      // If the broker client has been closed, RabbitMQ redelivers the messages in progress, so the process need not
      // end.
      giveUp: (reason) => void (this.isClosed || crashProcess(reason)),
      resubscribed: () => this.status.announceUp(),
    };
  }

  async start(): Promise<void> {
    const { publishing, consuming } = this.context;
    await Promise.all([publishing.start(), consuming.start()]);
    const parts = [this.publisher, this.eventPublisher, this.rpcClient, this.replySender];
    await Promise.all(parts.map((part) => part.start()));
    this.pulse.start();
  }

  get state(): BrokerState {
    return this.status.state;
  }

  onConnected(listener: () => void): () => void {
    return this.status.onConnected(listener);
  }

  async ask<C extends Contract>(contract: C, input: RequestInput<C>, call: Call): Promise<ReceivedReply<C>> {
    const reply = await this.rpcClient.ask(contract, serializeRequest(input), call);
    return { ...reply, body: parseReplyBody(contract, reply) } as ReceivedReply<C>;
  }

  askRaw(contract: Contract, request: RawRequest, call: Call): Promise<RawReply> {
    return this.rpcClient.ask(contract, request, call);
  }

  send<C extends Contract>(contract: C, input: RequestInput<C>, call: Call): Promise<void> {
    return this.commandSender.send(contract, serializeRequest(input), call);
  }

  publish(events: readonly SerializedEvent[]): Promise<readonly boolean[]> {
    return this.events.publish(events);
  }

  async serve<T extends Record<string, Contract>>(options: ServeOptions<T>): Promise<Consumer> {
    const contracts = servedContracts(options);
    const commands = contracts.filter(({ contract }) => contract.oneWay);
    const consumers = [
      new RpcServer(this.serving, this.replySender, options.owner, contracts),
      ...(commands.length > 0 ? [commandConsumer(this.serving, options.owner, commands)] : []),
    ];
    await Promise.all(consumers.map((consumer) => consumer.start()));
    const close = async (graceMs = graceDefaultMs) => {
      await Promise.all(consumers.map((consumer) => consumer.close(graceMs)));
    };
    this.consumers.add({ close });
    return { close };
  }

  async subscribe(options: SubscribeOptions): Promise<Consumer> {
    const subscriber = new EventSubscriber(this.serving, options);
    this.subscribers.set(options.queue, subscriber);
    await subscriber.start();
    this.consumers.add(subscriber);
    return subscriber;
  }

  async bind(queue: string): Promise<void> {
    const subscriber = this.subscribers.get(queue);
    if (!subscriber) throw new Error(`this process does not subscribe to ${queue}`);
    await subscriber.bind();
  }

  depth(queues: readonly string[]): Promise<QueueDepth[]> {
    const depthOf = async (connection: Connection, queue: string): Promise<QueueDepth> => {
      const found = await connection.checkQueue(this.context.names.queue(queue));
      return { queue, messages: found?.messageCount ?? 0, consumers: found?.consumerCount ?? 0 };
    };
    return this.withConnection(async (connection) => {
      // The broker does not respond about a queue whose node is away.
      const late = pause(depthMaxMs, undefined, { ref: false });
      const asked = queues.map((queue) => Promise.race([depthOf(connection, queue), late]));
      return (await Promise.all(asked)).filter((depth) => depth !== undefined);
    });
  }

  /** A connection to the node that the pulse has found to work. */
  private readonly withConnection: WithConnection = async (task) => {
    const { current } = this.context.publishing;
    if (!current) throw retrySoon(unavailable, { internal: 'the broker is down' });
    return current.withSibling(task);
  };

  async close({ graceMs = graceDefaultMs }: { readonly graceMs?: number } = {}): Promise<void> {
    const { publishing, consuming } = this.context;
    const endsAt = performance.now() + graceMs;
    this.isClosed = true;
    await Promise.all([...this.consumers].map((consumer) => consumer.close(graceMs)));
    this.serving.retries.close();
    this.rpcClient.close();
    this.replySender.flush();
    await Promise.all(
      [this.publisher, this.eventPublisher].map((each) => each.drain(endsAt - performance.now())),
    );
    this.pulse.stop();
    await Promise.all([publishing.close(), consuming.close()]);
  }
}
