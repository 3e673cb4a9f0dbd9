import { newId } from '@receipts/kernel';
import amqp from 'amqplib';
import { sharedPlatform } from './shared-platform';

/**
 * Sends an unreadable event to a service, which dead-letters it immediately.
 * @returns its id, and the name of the queue in the operator's endpoints
 */
export async function sendUnreadableMessage({
  type,
  content = JSON.stringify({ cannot: 'be read <b>' }),
}: {
  readonly type: string;
  readonly content?: string;
}): Promise<{ id: string; queue: string }> {
  const id = newId();
  const queue = 'delivery.on-receipt-recorded-or-deleted';
  const { amqpUrl, credentials } = sharedPlatform();
  // The prefix of all of the platform's names at its broker.
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
