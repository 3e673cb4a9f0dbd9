import type { Channel } from 'amqplib';
import type { Session, WithSession } from '../connection/session';
import { QueueTakesNothing } from '../connection/setup-errors';
import { pause, within } from '../connection/time-limit';
import { faultFields, type Log } from '../reporting/log';
import { canaryType, fateOf } from './canary';
import type { Names } from './names';
import { registryQueue, type QueueDeclaration, type QueueSet, type RetryStep } from './queues';

/**
 * The broker writes the names of its quorum queues to disk with a delay: one that is killed within the first second loses a
 * new queue with all that was confirmed in it. So nothing is routed to a queue before it has this age.
 */
export const trustedAgeMs = 2_000;
/** Before the next set has its turn: a queue that does not answer holds up its own set alone. */
const turnMaxMs = 20_000;

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

export interface TopologyOptions {
  readonly names: Names;
  readonly log: Log;
  readonly steps: readonly RetryStep[];
  /** Milliseconds that a new quorum queue must live before anything is routed to it. */
  readonly newQueueWaitMs: number;
  /** Connections for probes: a broken queue ends the connection, a blocked broker stops it. */
  readonly withSession: WithSession;
}

/** Declares queues, deletes none, and tells those that take no messages. */
export class Topology {
  readonly #options: TopologyOptions;
  #lastTurn: Promise<unknown> = Promise.resolve();

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
    const declare = () =>
      session.withChannel(async (channel) => {
        for (const queue of queues) await assertQueue(channel, queue);
      });
    const isQuorum = main.arguments['x-queue-type'] === 'quorum';
    await (isQuorum && isNew ? this.#inTurn(declare) : declare());
    if (isQuorum && isNew) await pause(this.#options.newQueueWaitMs);
    if (isQuorum && !isNew) await this.#look(queues, main);
    await registered;
    await session.withChannel(async (channel) => {
      for (const { queue, exchange, key } of set.bindings) await channel.bindQueue(queue, exchange, key);
    });
  }

  /** The broker gives a quorum queue 5 s to come up. On a new platform with a hundred of them at once some would not. */
  async #inTurn(declare: () => Promise<void>): Promise<void> {
    const turn = this.#lastTurn.then(declare);
    this.#lastTurn = within(turnMaxMs, 'a turn', turn).catch(() => {});
    await turn;
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
    const { names, withSession, log } = this.#options;
    const registry = registryQueue(names.registry);
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
