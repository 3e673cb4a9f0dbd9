import amqp from 'amqplib';
import { ManagementApi, vhostOf } from '@receipts/messaging';

/** Reads the messages that wait in the queues of a platform, and leaves them there. */
export class QueueReader {
  private readonly management: ManagementApi;

  constructor(
    private readonly amqpUrl: string,
    managementUrl: string,
  ) {
    this.management = new ManagementApi(managementUrl);
  }

  /** The contents of the waiting messages by queue. */
  async messages(prefix: string): Promise<ReadonlyMap<string, readonly Buffer[]>> {
    const names = await this.management.namesOf('queues', vhostOf(this.amqpUrl));
    const connection = await amqp.connect(this.amqpUrl);
    connection.on('error', () => undefined);
    try {
      const found = new Map<string, Buffer[]>();
      for (const name of names) {
        if (!name.startsWith(prefix)) continue;
        const contents = await this.contentsOf(connection, name);
        if (contents.length > 0) found.set(name, contents);
      }
      return found;
    } finally {
      // Returns the messages that were not acknowledged to their queues.
      await connection.close();
    }
  }

  /** Empty for an exclusive queue, which only its owner can read, and which ends with its owner. */
  private async contentsOf(connection: amqp.ChannelModel, queue: string): Promise<Buffer[]> {
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    const contents: Buffer[] = [];
    try {
      for (;;) {
        const message = await channel.get(queue);
        if (message === false) break;
        contents.push(message.content);
      }
    } catch {
      return [];
    }
    return contents;
  }
}
