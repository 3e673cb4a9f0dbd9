import type { Channel, ConfirmChannel, Options } from 'amqplib';
import type { Session, WithSession } from './session';
import { faultFields, type Log } from './log';
import type { Names } from './names';
import { pause, within } from './time-limit';

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
/** A message that was alone in a process that died, so often, is what it died of. */
const suspectDeliveriesMax = 5;
/** Looking at a parked message counts as a delivery too; newer brokers would drop it after 20. */
const looksMax = 1_000_000;
/**
 * The broker writes the names of its quorum queues to disk with a delay: one that is killed within the first second loses a
 * new queue with all that was confirmed in it. So nothing is routed to a queue before it has this age.
 */
export const trustedAgeMs = 2_000;
/** A healthy queue answers within milliseconds, on a busy machine within seconds. */
const canaryTimeoutMs = 10_000;
const refusedPauseMs = 50;
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
  /** Retry queues, suspects and parking place of the main queue. */
  readonly satellites: readonly QueueDeclaration[];
  readonly bindings: readonly Binding[];
}

export function retryQueue(queue: string, step: RetryStep): string {
  return `${queue}.${step.suffix}`;
}

export function parkedQueue(queue: string): string {
  return `${queue}.parked`;
}

/** Holds what was in somebody's hand when a process died, more than once: it is taken from here one message at a time. */
export function suspectsQueue(queue: string): string {
  return `${queue}.suspects`;
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
      suspectsOf(name, type).main,
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

/** The queue of suspects beside a safe queue. */
export function suspectsOf(name: string, type: QueueType): QueueSet {
  const main = durableQueue(suspectsQueue(name), {
    ...deadLetterTo(parkedQueue(name), type),
    ...(type === 'quorum' && { 'x-delivery-limit': suspectDeliveriesMax }),
  });
  return { main, satellites: [], bindings: [] };
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

const preconditionFailed = 406;

/**
 * Declares the exchanges of the platform.
 * @param installation names the installation whose platform it is; another one under the same name is refused
 */
export function exchangesOf(names: Names, installation: string | undefined) {
  return (session: Session): Promise<void> =>
    session.withChannel(async (channel) => {
      if (installation !== undefined) await claim(channel, names.installation, installation);
      await channel.assertExchange(names.events, 'topic', { durable: true });
      await channel.assertExchange(names.facts, 'topic', { durable: true });
      await channel.assertExchange(names.commands, 'direct', { durable: true });
    });
}

/**
 * An exchange cannot be declared with another alternate exchange than it has, so the first installation to come keeps the
 * name. No message ever goes there.
 */
async function claim(channel: Channel, exchange: string, installation: string): Promise<void> {
  try {
    await channel.assertExchange(exchange, 'fanout', { durable: true, alternateExchange: installation });
  } catch (error) {
    if ((error as { code?: unknown }).code !== preconditionFailed) throw error;
    throw new ForeignPlatform(exchange.split('.')[0] ?? exchange);
  }
}

/** Another installation has a platform of this name on the broker. */
export class ForeignPlatform extends Error {
  constructor(platform: string) {
    super(
      `another installation has a platform called ${platform} on this broker: give this one a name of its own (PLATFORM), or a virtual host`,
    );
    this.name = 'ForeignPlatform';
  }
}

export interface TopologyOptions {
  readonly names: Names;
  readonly log: Log;
  readonly queueType: QueueType;
  readonly steps: readonly RetryStep[];
  /** Milliseconds that a new quorum queue must live before anything is routed to it. */
  readonly newQueueWaitMs: number;
  /** Connections for probes: a broken queue ends the connection, a blocked broker stops it. */
  readonly withSession: WithSession;
}

/** Declares queues, deletes none, and tells those that take no messages. */
export class Topology {
  readonly #options: TopologyOptions;

  constructor(options: TopologyOptions) {
    this.#options = options;
  }

  get steps(): readonly RetryStep[] {
    return this.#options.steps;
  }

  isThere(queue: QueueDeclaration): Promise<boolean> {
    return this.#options.withSession((session) => exists(session, queue));
  }

  /** Declares a set of queues and binds the main queue once all of them can be trusted. */
  async assert(session: Session, set: QueueSet): Promise<void> {
    const { main, satellites } = set;
    const queues = [...satellites, main];
    const present = await Promise.all(queues.map((queue) => exists(session, queue)));
    const isNew = present.includes(false);
    const isUnknown = satellites.length > 0 && (isNew || (await this.#isRegistryEmpty(session)));
    const registered = isUnknown ? this.#register(main.name) : undefined;
    await session.withChannel(async (channel) => {
      for (const queue of queues) await assertQueue(channel, queue);
    });
    const isQuorum = main.arguments['x-queue-type'] === 'quorum';
    if (isQuorum && isNew) await pause(this.#options.newQueueWaitMs);
    if (isQuorum && !isNew) await this.#look(queues, main);
    await registered;
    await session.withChannel(async (channel) => {
      for (const { queue, exchange, key } of set.bindings) await channel.bindQueue(queue, exchange, key);
    });
  }

  /** A broker that has lost its queues may have lost the register of their names as well. */
  #isRegistryEmpty(session: Session): Promise<boolean> {
    return session.withChannel((channel) =>
      channel.checkQueue(this.#options.names.registry).then(
        ({ messageCount }) => messageCount === 0,
        () => true,
      ),
    );
  }

  /** Writes the queue's name where the tools for parked messages find it. Never rejects: messages flow without it. */
  async #register(queue: string): Promise<void> {
    const { names, queueType, withSession, log } = this.#options;
    const registry = durableQueue(names.registry, {
      'x-queue-type': queueType,
      ...(queueType === 'quorum' && { 'x-delivery-limit': looksMax }),
    });
    const name = names.own(queue);
    const properties = { persistent: true, messageId: name };
    try {
      await withSession((session) => session.withChannel((channel) => assertQueue(channel, registry)));
      const fate = await withSession((session) =>
        fateOf(session, names.registry, Buffer.from(name), properties),
      );
      if (fate !== 'confirmed') throw new Error('the broker has not confirmed');
    } catch (error) {
      log.warn('a queue is not registered for the tools', { queue, ...faultFields(error) });
    }
  }

  /**
   * Sends a message through each queue. One whose nodes are away never confirms it, nor does one whose log the broker has
   * lost, and whoever consumes from it hangs, or loses the connection. Nobody can tell the two apart from here, so the queue
   * is left as it is, with all that it may hold, and whoever needs it looks again.
   * @throws QueueTakesNothing for a queue that must be waited for
   */
  async #look(queues: readonly QueueDeclaration[], main: QueueDeclaration): Promise<void> {
    const looks = queues.map(async (queue) => {
      // Consumers drop the canary. Where nobody consumes, it expires.
      const options = queue === main ? {} : { expiration: 0 };
      const properties = { type: canaryType, ...options };
      const fate = await this.#options.withSession((session) =>
        fateOf(session, queue.name, Buffer.alloc(0), properties),
      );
      // Consumers can empty one that is full, and all while publishers are blocked.
      if (fate !== 'unanswered' && fate !== 'refused') return;
      const why = 'a queue takes no messages: its nodes are away, or its log is lost';
      this.#options.log.error(`${why}; it is left alone and waited for`, { queue: queue.name });
      throw new QueueTakesNothing(`${why}: ${queue.name}`);
    });
    await Promise.all(looks);
  }
}

/** A queue that is there and takes no messages. Nobody refuses anything: waiting may help. */
export class QueueTakesNothing extends Error {}

/** What became of a message: a queue that is full refuses it, a broker that blocks publishers says nothing of the queue. */
type Fate = 'confirmed' | 'full' | 'blocked' | 'refused' | 'unanswered';

/**
 * Sends a message to a queue and waits for what the broker says.
 * @throws Error when the connection ends before it has said anything
 */
async function fateOf(
  session: Session,
  queue: string,
  content: Buffer,
  properties: Options.Publish,
): Promise<Fate> {
  const channel = await session.connection.createConfirmChannel();
  channel.on('error', () => {});
  const blocked = new Promise<Fate>((resolve) => session.connection.on('blocked', () => resolve('blocked')));
  const giveUpAt = Date.now() + canaryTimeoutMs;
  for (;;) {
    const answer = confirmOf(channel, queue, content, properties, giveUpAt - Date.now());
    const fate = await Promise.race([answer, blocked, session.lost]);
    if (fate !== 'refused') return fate;
    const { messageCount } = await session.withChannel((other) => other.checkQueue(queue));
    if (messageCount > 0) return 'full';
    // One that is only being born refuses at first.
    if (Date.now() + refusedPauseMs >= giveUpAt) return 'refused';
    await pause(refusedPauseMs);
  }
}

async function confirmOf(
  channel: ConfirmChannel,
  queue: string,
  content: Buffer,
  properties: Options.Publish,
  timeoutMs: number,
): Promise<Fate> {
  const answer = new Promise<Fate>((resolve) =>
    channel.sendToQueue(queue, content, properties, (error: unknown) =>
      resolve(error ? 'refused' : 'confirmed'),
    ),
  );
  return within(timeoutMs, 'the confirm', answer).catch(() => 'unanswered');
}
