import type { Channel } from 'amqplib';
import type { Connection } from '../connection/connection';
import { pause, within } from '@receipts/concurrency';
import { type Log } from '@receipts/kernel';
import { acceptsMessages, probeType } from './probe-queue';
import type { QueueDeclaration, QueueSet, RetryStep } from './queues';

/**
 * The broker writes the names of new quorum queues to disk with a delay. If it is killed within the first second, it
 * loses a new queue with all its confirmed messages. Therefore, nothing is routed to a queue before it has reached this
 * age.
 */
export const trustedAgeMs = 2_000;
/** The maximum wait for one set before the next, so that an unresponsive queue delays only its own set. */
const turnMaxMs = 20_000;

export interface TopologyOptions {
  readonly log: Log;
  readonly steps: readonly RetryStep[];
  /** The age in milliseconds that a new quorum queue must reach before anything is routed to it. */
  readonly newQueueWaitMs: number;
}

/** @throws Error if the queue exists with other arguments */
export async function declareQueue(channel: Channel, declaration: QueueDeclaration): Promise<void> {
  const { name, durable, exclusive, arguments: args } = declaration;
  await channel.assertQueue(name, { durable, exclusive, autoDelete: exclusive, arguments: args });
}

/** Declares and binds queues, and detects those that accept no messages. It deletes nothing. */
export class Topology {
  private lastDeclared: Promise<unknown> = Promise.resolve();

  readonly steps: readonly RetryStep[];

  constructor(private readonly options: TopologyOptions) {
    this.steps = options.steps;
  }

  /** Declares a set of queues, and binds the main queue once all of them can be trusted. */
  async assert(connection: Connection, set: QueueSet): Promise<void> {
    const { main, satellites = [], bindings = [], isBound } = set;
    const queues = [...satellites, main];
    // A private queue is new for each connection, so it is not looked up.
    const lookups = queues.map(async ({ name, exclusive }) => exclusive || connection.checkQueue(name));
    const isNew = (await Promise.all(lookups)).includes(undefined);
    const declare = () =>
      connection.withChannel(async (channel) => {
        for (const queue of queues) await declareQueue(channel, queue);
      });
    if (main.arguments['x-queue-type'] !== 'quorum') await declare();
    else if (isNew) {
      await this.declareInTurn(declare);
      await pause(this.options.newQueueWaitMs);
    } else {
      await declare();
      await Promise.all(queues.map((queue) => this.probe(connection, queue, queue === main)));
    }
    if (isBound && !(await isBound())) return;
    await connection.withChannel(async (channel) => {
      for (const { exchange, key } of bindings) await channel.bindQueue(main.name, exchange, key);
    });
  }

  /**
   * Declares one set at a time: the broker gives a quorum queue 5 s to start, which would fail for some of a hundred
   * queues at once.
   */
  private async declareInTurn(declare: () => Promise<void>): Promise<void> {
    const declared = this.lastDeclared.then(declare);
    this.lastDeclared = within(turnMaxMs, 'declaring queues', declared).catch(() => {});
    await declared;
  }

  /**
   * Sends a probe message on a separate connection, because a broken queue ends its connection, and a broker may block
   * it. The message goes to a queue that discards it: consumers of the main queue drop it, and a retry queue returns
   * it there. In a dead-letter queue, it would stay and be counted, so none is sent there; the quarantine queue is the
   * main queue of its own set. A queue whose nodes are down or whose log is lost never confirms the probe, and
   * consuming from it hangs or loses the connection. The two cases cannot be distinguished from here, so the queue
   * keeps its contents and the caller retries.
   * @throws Error if the queue does not accept messages
   */
  private async probe(connection: Connection, queue: QueueDeclaration, isMain: boolean): Promise<void> {
    if (!isMain && !('x-message-ttl' in queue.arguments)) return;
    const properties = { type: probeType, ...(!isMain && { expiration: 0 }) };
    const { log } = this.options;
    if (await connection.withSibling((sibling) => acceptsMessages(sibling, queue.name, properties))) return;
    const why = 'a queue does not accept messages: its nodes are down, or its log is lost';
    log.error(`${why}; waiting for it without changing it`, { queue: queue.name });
    throw new Error(`${why}: ${queue.name}`);
  }
}
