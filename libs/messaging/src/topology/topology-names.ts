import type { Channel } from 'amqplib';
import { type Connection, PrefixTakenError } from '../connection/connection';

/**
 * The names of the platform's queues and exchanges on the broker. They start with the platform's prefix, so that
 * several platforms can share a broker. Elsewhere, queue names omit the prefix.
 */
export class TopologyNames {
  /** Public: integrators subscribe here. The routing key is the event type. */
  readonly events: string;
  /** For the platform's services: batches of events of one type. The routing key is the type. */
  readonly internalEvents: string;
  /** Routes one-way commands. A queue is bound to it once it has reached the trusted age. */
  readonly commands: string;
  /** The arguments of this exchange identify the installation that owns the prefix. */
  readonly installation: string;
  private readonly prefix: string;

  constructor(platform = 'receipts') {
    this.prefix = `${platform}.`;
    this.events = this.queue('events');
    this.internalEvents = this.queue('internal-events');
    this.commands = this.queue('commands');
    this.installation = this.queue('installation');
  }

  /** The queue's name on the broker. */
  queue(name: string): string {
    return this.prefix + name;
  }

  /** The queue's name without the prefix. */
  own(queue: string): string {
    return queue.startsWith(this.prefix) ? queue.slice(this.prefix.length) : queue;
  }
}

const preconditionFailed = 406;

/**
 * Declares the exchanges of the platform.
 * @param installation identifies this installation; another installation with the same prefix is rejected
 */
export function declareExchanges(names: TopologyNames, installation: string | undefined) {
  return (connection: Connection): Promise<void> =>
    connection.withChannel(async (channel) => {
      if (installation !== undefined) await claim(channel, names.installation, installation);
      await channel.assertExchange(names.events, 'topic', { durable: true });
      await channel.assertExchange(names.internalEvents, 'topic', { durable: true });
      await channel.assertExchange(names.commands, 'direct', { durable: true });
    });
}

/**
 * An exchange cannot be redeclared with a different alternate exchange, so the first installation keeps the prefix. No
 * message is ever published to this exchange.
 */
async function claim(channel: Channel, exchange: string, installation: string): Promise<void> {
  try {
    await channel.assertExchange(exchange, 'fanout', { durable: true, alternateExchange: installation });
  } catch (error) {
    if ((error as { code?: unknown }).code !== preconditionFailed) throw error;
    throw new PrefixTakenError(exchange.split('.')[0] ?? exchange);
  }
}
