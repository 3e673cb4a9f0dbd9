import type { Channel } from 'amqplib';
import type { Session } from '../connection/session';
import { ForeignPlatform } from '../connection/setup-errors';
import type { Names } from './names';

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
