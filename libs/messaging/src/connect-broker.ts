import { crashProcess, type Call, type Contract } from '@receipts/kernel';
import type { Answer, AskInput, Broker, BrokerOptions, QueueDepth } from './broker';
import { ConfirmedPublisher } from './outbound/confirmed-publisher';
import { EventPublisher } from './outbound/event-publisher';
import { RetryRouter } from './inbound/retry-router';
import { handlerTimeoutMs } from './inbound/batch-queue';
import { SupervisedConnection } from './connection/supervised-connection';
import type { BrokerState } from './reporting/metrics';
import { TopologyNames } from './topology/topology-names';
import { serializeRequest } from './message/request';
import { deadLetters } from './inbound/dead-letters';
import { ReplySender } from './outbound/reply-sender';
import { parseReplyBody, RpcClient } from './outbound/rpc-client';
import { CommandSender } from './outbound/command-sender';
import { serve, type Consumer } from './inbound/serve';
import { graceDefaultMs, type Serving } from './inbound/serving';
import { connectionsTo, type Connection } from './connection/connection';
import { subscribe } from './inbound/subscribe';
import { resolvesWithin } from './connection/timing';
import { exchangesOf } from './topology/exchanges';
import { retrySteps, type RetryStep } from './topology/queues';
import type { BrokerContext } from './topology/broker-context';
import { Topology, trustedAgeMs } from './topology/topology';

const flushTimeoutMs = 3_000;

function stepsOf(delaysMs: readonly number[] | undefined): readonly RetryStep[] {
  return delaysMs?.map((delayMs) => ({ suffix: `retry.${delayMs}ms`, delayMs })) ?? retrySteps;
}

/**
 * Connects to RabbitMQ with one connection for publishing and one for consuming, and reopens both whenever they are
 * lost.
 * @throws Error when the broker is not reached within a minute, or the platform's name is taken by another
 * installation
 */
export async function connectBroker(options: BrokerOptions): Promise<Broker> {
  const { url, service, log, metrics = {}, tracing, now = Date.now, giveUp = crashProcess } = options;
  const names = new TopologyNames(options.platform);
  const setup = exchangesOf(names, options.installation);
  const publishing = new SupervisedConnection({ url, log, name: `${service} publishes`, setup });
  const consuming = new SupervisedConnection({ url, log, name: `${service} consumes`, setup });
  const context: BrokerContext = { names, service, publishing, consuming, log, metrics, tracing, now };
  const publisher = new ConfirmedPublisher(context);
  const rpcClient = new RpcClient(context);
  const commandSender = new CommandSender(context, publisher);
  const replySender = new ReplySender(context);
  const events = new EventPublisher(context, publisher, options.publishMode ?? 'when-bound');
  const steps = stepsOf(options.retryDelaysMs);
  const retries = new RetryRouter(context, publisher, steps);
  const withConnection = connectionsTo(url, `${service} looks`);
  const { newQueueWaitMs = trustedAgeMs } = options;
  const topology = new Topology({ names, log, steps, newQueueWaitMs, withConnection });
  const consumers = new Set<Consumer>();
  const upListeners = new Set<() => void>();

  const stateNow = (): BrokerState => {
    if (consuming.state === 'down') return 'down';
    return publishing.state;
  };
  let state: BrokerState = 'down';
  let isAnnouncing = false;
  let isClosed = false;
  const announceUp = () => {
    if (isAnnouncing) return;
    isAnnouncing = true;
    // Consumers come back at nearly the same time, so the listeners are called once for all of them.
    setImmediate(() => {
      isAnnouncing = false;
      if (state === 'up') for (const listener of upListeners) listener();
    });
  };
  const watchState = () => {
    const next = stateNow();
    if (next === state) return;
    const wasDown = state === 'down';
    state = next;
    metrics.state?.(next);
    if (wasDown) announceUp();
  };
  publishing.onChange(watchState);
  consuming.onChange(watchState);

  await Promise.all([publishing.start(), consuming.start()]);
  await Promise.all([publisher.start(), rpcClient.start(), replySender.start()]);

  const serving: Serving = {
    ...{ ...context, topology, replySender, retries },
    quarantineTimeoutMs: options.quarantineTimeoutMs ?? handlerTimeoutMs,
    // After the broker was closed, RabbitMQ has what was in hand.
    giveUp: (reason) => void (isClosed || giveUp(reason)),
    resubscribed: announceUp,
  };
  const kept = async <C extends Consumer>(start: Promise<C>): Promise<C> => {
    const consumer = await start;
    consumers.add(consumer);
    return consumer;
  };

  return {
    async ask<C extends Contract>(contract: C, input: AskInput<C>, call: Call): Promise<Answer<C>> {
      const reply = await rpcClient.ask(contract, serializeRequest(input), call);
      return { ...reply, body: parseReplyBody(contract, reply) } as Answer<C>;
    },
    askRaw: (contract, request, call) => rpcClient.ask(contract, request, call),
    send: (contract, input, call) => commandSender.send(contract, serializeRequest(input), call),
    sendRaw: (contract, request, call) => commandSender.send(contract, request, call),
    serve: (serveOptions) => kept(serve(serving, serveOptions)),
    subscribe: (subscribeOptions) => kept(subscribe(serving, subscribeOptions)),
    publish: (list) => events.publish(list),
    get state() {
      return state;
    },
    onUp(listener) {
      upListeners.add(listener);
      return () => void upListeners.delete(listener);
    },
    deadLetters: deadLetters(names, withConnection, now),
    depth: (queues) =>
      withConnection((connection) => Promise.all(queues.map((queue) => depthOf(connection, names, queue)))),
    async close({ graceMs = graceDefaultMs } = {}) {
      isClosed = true;
      await Promise.all([...consumers].map((consumer) => consumer.close(graceMs)));
      retries.close();
      replySender.flush();
      if (!(await resolvesWithin(flushTimeoutMs, publisher.idle())))
        log.warn('not everything was confirmed before the end', { unconfirmed: publisher.unconfirmed });
      await Promise.all([publishing.close(), consuming.close()]);
    },
  };
}

async function depthOf(connection: Connection, names: TopologyNames, queue: string): Promise<QueueDepth> {
  const found = await connection.checkQueue(names.queue(queue));
  return { queue, messages: found?.messageCount ?? 0, consumers: found?.consumerCount ?? 0 };
}
