import type { Channel } from 'amqplib';
import type { Session, WithSession } from './session';
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
export const trustedAgeMs = 2_000;
const canaryTimeoutMs = 5_000;
const registerTriesMax = 20;
const registerPauseMs = 100;
/** How the broker ends a connection that consumes from a quorum queue whose log is gone. */
export const internalErrorCode = 541;
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

export interface TopologyOptions {
  readonly log: Log;
  readonly queueType: QueueType;
  readonly steps: readonly RetryStep[];
  /** Milliseconds that a new quorum queue must live before anything is routed to it. */
  readonly newQueueWaitMs: number;
  /** Connections for probes: a broken queue ends the connection, a blocked broker stops it. */
  readonly withSession: WithSession;
}

/** Declares queues, and makes those anew that a broker has lost track of. */
export class Topology {
  readonly #options: TopologyOptions;
  readonly #suspects = new Set<string>();

  constructor(options: TopologyOptions) {
    this.#options = options;
  }

  get steps(): readonly RetryStep[] {
    return this.#options.steps;
  }

  /** Says that the broker may have lost this queue. It is probed when it is asserted next. */
  suspect(queue: string): void {
    this.#suspects.add(queue);
  }

  /** Declares a set of queues and binds the main queue once all of them can be trusted. */
  async assert(session: Session, set: QueueSet): Promise<void> {
    const { main, satellites } = set;
    const queues = [...satellites, main];
    if (this.#suspects.delete(main.name) && (await this.#isBroken(main.name))) await this.#remove(main.name);
    const present = await Promise.all(queues.map((queue) => exists(session, queue)));
    const isNew = present.includes(false);
    if (isNew && satellites.length > 0) await this.#register(main.name);
    await session.withChannel(async (channel) => {
      for (const queue of queues) await assertQueue(channel, queue);
    });
    const isQuorum = main.arguments['x-queue-type'] === 'quorum';
    const isMended = isQuorum && !isNew && (await this.#mend(satellites));
    if (isQuorum && (isNew || isMended)) await pause(this.#options.newQueueWaitMs);
    await session.withChannel(async (channel) => {
      for (const { queue, exchange, key } of set.bindings) await channel.bindQueue(queue, exchange, key);
    });
  }

  #register(queue: string): Promise<void> {
    const type = this.#options.queueType;
    const args = { 'x-queue-type': type, ...(type === 'quorum' && { 'x-delivery-limit': looksMax }) };
    return this.#options.withSession(async ({ connection }) => {
      const channel = await connection.createConfirmChannel();
      await assertQueue(channel, durableQueue(registryQueue, args));
      for (let triesLeft = registerTriesMax; ; triesLeft--) {
        channel.sendToQueue(registryQueue, Buffer.from(queue), { persistent: true, messageId: queue });
        try {
          await within(canaryTimeoutMs, 'registering a queue', channel.waitForConfirms());
          return;
        } catch (error) {
          // A quorum queue that is only being born has no leader yet, and refuses what it cannot keep.
          if (triesLeft <= 1) throw error;
          await pause(registerPauseMs);
        }
      }
    });
  }

  async #remove(queue: string): Promise<void> {
    this.#options.log.error('a queue is broken in the broker and is made anew', { queue });
    await this.#options.withSession((session) =>
      session.withChannel((channel) => channel.deleteQueue(queue)),
    );
  }

  /** True for a quorum queue whose name survived and whose log did not: consuming from it ends the connection with 541. */
  #isBroken(queue: string): Promise<boolean> {
    return this.#options.withSession(async (session) => {
      try {
        await session.withChannel(async (channel) => {
          await channel.prefetch(1);
          await channel.consume(queue, () => {});
        });
        return false;
      } catch {
        return (session.fault as { code?: unknown } | undefined)?.code === internalErrorCode;
      }
    });
  }

  /**
   * Nobody consumes from the satellites, so a broken one would show only when it is needed. A message that is dropped at
   * once goes through each.
   */
  async #mend(satellites: readonly QueueDeclaration[]): Promise<boolean> {
    let isMended = false;
    for (const queue of satellites) {
      // Asked twice, because another process may have mended it meanwhile.
      if ((await this.#takesMessages(queue)) || (await this.#takesMessages(queue))) continue;
      await this.#remove(queue.name);
      await this.#options.withSession((session) =>
        session.withChannel((channel) => assertQueue(channel, queue)),
      );
      isMended = true;
    }
    return isMended;
  }

  #takesMessages(queue: QueueDeclaration): Promise<boolean> {
    return this.#options.withSession(async (session) => {
      const channel = await session.connection.createConfirmChannel();
      channel.on('error', () => {});
      channel.sendToQueue(queue.name, Buffer.alloc(0), { type: canaryType, expiration: 0 });
      const confirmed = within(canaryTimeoutMs, 'the canary', channel.waitForConfirms()).then(() => true);
      const blocked = new Promise<boolean>((resolve) =>
        session.connection.on('blocked', () => resolve(true)),
      );
      try {
        // A broker that blocks publishers says nothing about the queue.
        return await Promise.race([confirmed, blocked]);
      } catch {
        // With messages in it the queue is alive, however slow it is.
        return (
          session.isLost ||
          (await session.withChannel((other) => other.checkQueue(queue.name))).messageCount > 0
        );
      }
    });
  }
}
