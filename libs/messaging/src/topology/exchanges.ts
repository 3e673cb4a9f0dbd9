import type { Channel } from 'amqplib';
import type { Connection } from '../connection/connection';
import { PrefixTakenError } from '../connection/setup-errors';
import type { TopologyNames } from './topology-names';

const preconditionFailed = 406;

/**
 * Declares the exchanges of the platform.
 * @param installation identifies this installation; another one with the same platform name is refused
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
 * An exchange cannot be redeclared with a different alternate exchange, so the first installation keeps the name. No
 * message is ever published to it.
 */
async function claim(channel: Channel, exchange: string, installation: string): Promise<void> {
  try {
    await channel.assertExchange(exchange, 'fanout', { durable: true, alternateExchange: installation });
  } catch (error) {
    if ((error as { code?: unknown }).code !== preconditionFailed) throw error;
    throw new PrefixTakenError(exchange.split('.')[0] ?? exchange);
  }
}
