import { newId } from '@receipts/kernel';
import amqp from 'amqplib';
import { sharedPlatform } from './shared-platform';

/**
 * Gives a service an event that nobody can read, as a broken publisher would: it is parked at once.
 * @returns its id, and the queue as the operator knows it
 */
export async function parkMessage({
  type,
  content = JSON.stringify({ cannot: 'be read <b>' }),
}: {
  readonly type: string;
  readonly content?: string;
}): Promise<{ id: string; queue: string }> {
  const id = newId();
  const queue = 'delivery.on-receipt-created';
  const { amqpUrl, credentials } = sharedPlatform();
  // What all names of a platform at its broker begin with.
  const prefix = credentials.broker.exchange.replace(/events$/, '');
  const connection = await amqp.connect(amqpUrl);
  try {
    const channel = await connection.createConfirmChannel();
    const properties = { messageId: id, type, contentType: 'application/cloudevents+json', persistent: true };
    channel.sendToQueue(`${prefix}${queue}`, Buffer.from(content), properties);
    await channel.waitForConfirms();
  } finally {
    await connection.close();
  }
  return { id, queue };
}
