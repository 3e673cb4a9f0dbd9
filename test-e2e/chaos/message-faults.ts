import { setTimeout as pause } from 'node:timers/promises';
import amqp, { type Channel, type ConsumeMessage } from 'amqplib';
import { newId } from '@receipts/kernel';
import type { Rabbit } from '@receipts/testing';
import { brokerOf, type Fault } from './scenario';

const lastsMs = 5_000;
const shuffleEveryMs = 50;
const heldMax = 64;
const shuffledHeader = 'x-shuffled';
const unreadable: readonly { readonly type: string; readonly content: string }[] = [
  { type: 'receipt.created', content: '{"cannot": "be read"}' },
  { type: 'unknown.type', content: '[]' },
  { type: '', content: '\u0000\ufffd{' },
];

interface ListedQueue {
  readonly name: string;
  readonly exclusive: boolean;
}

/** The queues from which services read. Exclusive queues cannot be accessed from another connection. */
async function sharedQueues(rabbit: Rabbit): Promise<readonly string[]> {
  const listed = await rabbit.control('list_queues', 'name', 'exclusive', '--formatter', 'json');
  const queues = JSON.parse(listed) as readonly ListedQueue[];
  return queues
    .filter(({ name, exclusive }) => !exclusive && !/dead-letter|^amq\./.test(name))
    .map(({ name }) => name);
}

/** Runs `work` with a separate connection. Returns what `work` returns. */
async function withChannel<T>(rabbit: Rabbit, work: (channel: Channel) => Promise<T>): Promise<T> {
  const connection = await amqp.connect(rabbit.url);
  try {
    return await work(await connection.createChannel());
  } finally {
    await connection.close();
  }
}

/** Sends unreadable messages to every queue. */
async function sendPoison(rabbit: Rabbit): Promise<string> {
  const queues = await sharedQueues(rabbit);
  const sent = queues.flatMap((queue) => unreadable.map((message) => ({ queue, ...message })));
  await withChannel(rabbit, async (channel) => {
    for (const { queue, type, content } of sent)
      channel.sendToQueue(queue, Buffer.from(content), { messageId: newId(), type, persistent: true });
    // The reply to a later request means that the broker has received the messages.
    await channel.checkQueue(queues[0] as string);
  });
  await pause(lastsMs);
  return `${sent.length} unreadable messages to ${queues.length} queues`;
}

/**
 * Requeues the messages of a queue in reverse order: new messages twice, and messages that it has requeued before once.
 */
class Shuffler {
  private held: ConsumeMessage[] = [];
  count = 0;

  constructor(
    private readonly channel: Channel,
    private readonly queue: string,
  ) {}

  async start(): Promise<string> {
    const { consumerTag } = await this.channel.consume(this.queue, (message) => {
      if (message) this.held.push(message);
    });
    return consumerTag;
  }

  flush(): void {
    for (const message of this.held.reverse()) {
      const { headers, ...properties } = message.properties;
      const { 'x-delivery-count': _count, 'x-acquired-count': _acquired, ...kept } = headers ?? {};
      const isNew = kept[shuffledHeader] !== true;
      const options = { ...properties, headers: { ...kept, [shuffledHeader]: true } } as amqp.Options.Publish;
      for (let copy = 0; copy < (isNew ? 2 : 1); copy++)
        this.channel.sendToQueue(this.queue, message.content, options);
      this.channel.ack(message);
      if (isNew) this.count++;
    }
    this.held = [];
  }
}

/** Delivers the messages of all queues twice and in another order. */
async function shuffle(rabbit: Rabbit): Promise<string> {
  const queues = await sharedQueues(rabbit);
  const count = await withChannel(rabbit, async (channel) => {
    await channel.prefetch(heldMax);
    const shufflers = queues.map((queue) => new Shuffler(channel, queue));
    const tags = await Promise.all(shufflers.map((shuffler) => shuffler.start()));
    for (const until = performance.now() + lastsMs; performance.now() < until;) {
      await pause(shuffleEveryMs);
      for (const shuffler of shufflers) shuffler.flush();
    }
    await Promise.all(tags.map((tag) => channel.cancel(tag)));
    for (const shuffler of shufflers) shuffler.flush();
    await channel.checkQueue(queues[0] as string);
    return shufflers.reduce((sum, shuffler) => sum + shuffler.count, 0);
  });
  return `${count} messages were delivered twice, in another order`;
}

export const messageFaults: readonly Fault[] = [
  {
    name: 'unreadable messages',
    breaksServer: true,
    inject: (target) => sendPoison(brokerOf(target)),
  },
  {
    name: 'messages delivered twice and reordered',
    breaksServer: true,
    inject: (target) => shuffle(brokerOf(target)),
  },
  {
    name: 'every connection to the broker cut',
    breaksServer: true,
    inject: (target) => brokerOf(target).closeConnections(),
  },
];
