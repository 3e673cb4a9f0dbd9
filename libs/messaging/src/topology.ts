import type { Channel } from 'amqplib';
import type { Session } from './link';
import type { Log } from './log';
import { pause, within } from './time-limit';

/** Public: integrators subscribe here. Routing key = type of the event. */
export const eventExchange = 'receipts.events';
/** Confirmed commands go through here; a queue is bound once it is old enough to be trusted. */
export const commandExchange = 'receipts.commands';
/** Holds the name of every queue that has a parking place, one message each. */
export const registryQueue = 'receipts.parked-queues';

export type QueueType = 'quorum' | 'classic';

export interface RetryStep {
  readonly suffix: string;
  readonly delayMs: number;
}

/** What fails for a passing cause comes back after 1 s, then 10 s, 60 s, and then every 10 minutes. */
export const retrySteps: readonly RetryStep[] = [
  { suffix: 'retry.1s', delayMs: 1_000 },
  { suffix: 'retry.10s', delayMs: 10_000 },
  { suffix: 'retry.60s', delayMs: 60_000 },
  { suffix: 'retry.10m', delayMs: 600_000 },
];

/** Backstop for messages that kill their consumer: RabbitMQ counts a lost consumer as a failed delivery. */
const deliveriesMax = 20;
/** Looking at a parked message counts as a delivery too; newer brokers would drop it after 20. */
const looksMax = 1_000_000;
/**
 * The broker writes the names of its quorum queues to disk with a delay: one that is killed within the first second loses a
 * new queue with all that was confirmed in it. So nothing is routed to a queue before it has this age.
 */
const trustedAgeMs = 2_000;
const canaryTimeoutMs = 5_000;
/** The type of the message that shows whether a queue takes messages. Consumers drop it. */
export const canaryType = 'canary';

export interface QueueDeclaration {
  readonly name: string;
  readonly durable: boolean;
  readonly exclusive: boolean;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface Binding {
  readonly queue: string;
  readonly exchange: string;
  readonly key: string;
}

/** Queues that belong together, and how they are reached. Declared again, with the same arguments, after every connect. */
export interface QueueSet {
  readonly main: QueueDeclaration;
  /** Retry queues and parking place of the main queue. */
  readonly satellites: readonly QueueDeclaration[];
  readonly bindings: readonly Binding[];
}

export function retryQueue(queue: string, step: RetryStep): string {
  return `${queue}.${step.suffix}`;
}

export function parkedQueue(queue: string): string {
  return `${queue}.parked`;
}

export function commandQueue(owner: string): string {
  return `${owner}.commands`;
}

/** The queue for RPC. Commands and queries are apart, so that a slow search never delays a sale. */
export function rpcQueue(owner: string, kind: 'command' | 'query'): string {
  return kind === 'command' ? `${owner}.requests` : `${owner}.queries`;
}

function durableQueue(name: string, args: Record<string, unknown>): QueueDeclaration {
  return { name, durable: true, exclusive: false, arguments: args };
}

function deadLetterTo(queue: string, type: QueueType): Record<string, unknown> {
  return {
    'x-queue-type': type,
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': queue,
    // Only quorum queues hand a dead letter over without a gap in which it can be lost.
    ...(type === 'quorum' && { 'x-dead-letter-strategy': 'at-least-once', 'x-overflow': 'reject-publish' }),
  };
}

/** A queue whose messages are never lost: delayed retries and a parking place stand beside it. */
export function safeQueue(
  name: string,
  type: QueueType,
  steps: readonly RetryStep[],
  bindings: readonly Binding[],
): QueueSet {
  return {
    main: durableQueue(name, {
      ...deadLetterTo(parkedQueue(name), type),
      ...(type === 'quorum' && { 'x-delivery-limit': deliveriesMax }),
    }),
    satellites: [
      ...steps.map((step) =>
        durableQueue(retryQueue(name, step), { ...deadLetterTo(name, type), 'x-message-ttl': step.delayMs }),
      ),
      durableQueue(parkedQueue(name), {
        'x-queue-type': type,
        ...(type === 'quorum' && { 'x-delivery-limit': looksMax }),
      }),
    ],
    bindings,
  };
}

/** A queue for RPC: its messages are worth no more than the patience of their callers. */
export function volatileQueue(name: string): QueueSet {
  return { main: durableQueue(name, { 'x-queue-type': 'classic' }), satellites: [], bindings: [] };
}

/** A queue of one process, gone with its connection. */
export function privateQueue(name: string, bindings: readonly Binding[]): QueueSet {
  const main = { name, durable: false, exclusive: true, arguments: { 'x-queue-type': 'classic' } };
  return { main, satellites: [], bindings };
}

async function assertQueue(channel: Channel, queue: QueueDeclaration): Promise<void> {
  const { name, durable, exclusive } = queue;
  await channel.assertQueue(name, { durable, exclusive, autoDelete: exclusive, arguments: queue.arguments });
}

async function exists(session: Session, queue: QueueDeclaration): Promise<boolean> {
  // A private queue is made anew with each connection, and a missing queue closes the channel that asks for it.
  if (queue.exclusive) return true;
  return session.withChannel(async (channel) => {
    try {
      await channel.checkQueue(queue.name);
      return true;
    } catch (error) {
      if ((error as { code?: unknown }).code === 404) return false;
      throw error;
    }
  });
}

export async function assertExchanges(session: Session): Promise<void> {
  await session.withChannel(async (channel) => {
    await channel.assertExchange(eventExchange, 'topic', { durable: true });
    await channel.assertExchange(commandExchange, 'direct', { durable: true });
  });
}

/** Declares queues and keeps in mind which of them a broker has lost track of. */
export class Topology {
  readonly #log: Log;
  readonly #queueType: QueueType;
  readonly #suspects = new Set<string>();

  readonly steps: readonly RetryStep[];

  constructor(log: Log, queueType: QueueType, steps: readonly RetryStep[]) {
    this.#log = log;
    this.#queueType = queueType;
    this.steps = steps;
  }

  /**
   * Says that the broker could not serve this queue: 541 on consuming from a quorum queue whose name survived and whose log
   * did not. It is deleted and declared anew when it is asserted next.
   */
  suspect(queue: string): void {
    this.#suspects.add(queue);
  }

  /** Declares a set of queues and binds the main queue once all of them can be trusted. */
  async assert(session: Session, set: QueueSet): Promise<void> {
    const queues = [...set.satellites, set.main];
    for (const queue of queues) if (this.#suspects.has(queue.name)) await this.#remove(session, queue.name);
    let isYoung = false;
    for (const queue of queues) if (!(await exists(session, queue))) isYoung = true;
    if (isYoung && set.satellites.length > 0) await this.#register(session, set.main.name);
    await session.withChannel(async (channel) => {
      for (const queue of queues) await assertQueue(channel, queue);
    });
    const isQuorum = set.main.arguments['x-queue-type'] === 'quorum';
    if (isQuorum && !isYoung) isYoung = await this.#mend(session, set.satellites);
    if (isQuorum && isYoung) await pause(trustedAgeMs);
    await session.withChannel(async (channel) => {
      for (const { queue, exchange, key } of set.bindings) await channel.bindQueue(queue, exchange, key);
    });
  }

  registry(): QueueDeclaration {
    const type = this.#queueType;
    return durableQueue(registryQueue, {
      'x-queue-type': type,
      ...(type === 'quorum' && { 'x-delivery-limit': looksMax }),
    });
  }

  async #register(session: Session, queue: string): Promise<void> {
    const channel = await session.connection.createConfirmChannel();
    channel.on('error', () => {});
    await assertQueue(channel, this.registry());
    channel.sendToQueue(registryQueue, Buffer.from(queue), { persistent: true, messageId: queue });
    await channel.waitForConfirms();
    await channel.close();
  }

  async #remove(session: Session, queue: string): Promise<void> {
    this.#log.error('a queue is broken in the broker and is made anew', { queue });
    await session.withChannel((channel) => channel.deleteQueue(queue));
    this.#suspects.delete(queue);
  }

  /**
   * Nobody consumes from the satellites, so a broken one would show only when it is needed. A message that is dropped at once
   * goes through each.
   */
  async #mend(session: Session, satellites: readonly QueueDeclaration[]): Promise<boolean> {
    let isMended = false;
    for (const queue of satellites) {
      if (await this.#takesMessages(session, queue)) continue;
      await this.#remove(session, queue.name);
      await session.withChannel((channel) => assertQueue(channel, queue));
      isMended = true;
    }
    return isMended;
  }

  async #takesMessages(session: Session, queue: QueueDeclaration): Promise<boolean> {
    const channel = await session.connection.createConfirmChannel();
    channel.on('error', () => {});
    try {
      channel.sendToQueue(queue.name, Buffer.alloc(0), { type: canaryType, expiration: 0 });
      await within(canaryTimeoutMs, 'the canary', channel.waitForConfirms());
      return true;
    } catch {
      // With messages in it the queue is alive, however slow it is.
      return (
        session.isLost ||
        (await session.withChannel((other) => other.checkQueue(queue.name))).messageCount > 0
      );
    } finally {
      await channel.close().catch(() => {});
    }
  }
}
