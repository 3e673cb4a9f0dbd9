import type { Socket } from 'node:net';
import { connect, type Channel, type ChannelModel, type Replies } from 'amqplib';
import { corkWrites } from './corked-writes';
import { resolvesWithin } from './timing';

const heartbeatSeconds = 5;
const connectTimeoutMs = 5_000;
const closeTimeoutMs = 2_000;

/** amqplib does not declare its socket. */
function socketOf(model: ChannelModel): Socket {
  return (model.connection as unknown as { readonly stream: Socket }).stream;
}

/** One connection from its opening to its end. It is not used again after it is lost. */
export class Connection {
  /** amqplib's connection. */
  readonly model: ChannelModel;
  /** Rejects when the connection ends. */
  readonly lost: Promise<never>;
  #fault: Error | undefined;
  #isLost = false;
  #isBlocked = false;
  #pulse: Promise<Channel> | undefined;

  constructor(model: ChannelModel) {
    this.model = model;
    corkWrites(socketOf(model));
    let lose: (error: Error) => void = () => {};
    this.lost = new Promise((_, reject) => (lose = reject));
    this.lost.catch(() => {});
    model.on('error', (error) => (this.#fault = error));
    model.on('blocked', () => (this.#isBlocked = true));
    model.on('unblocked', () => (this.#isBlocked = false));
    model.on('close', (error) => {
      this.#isLost = true;
      this.#fault ??= error;
      lose(this.#fault ?? new Error('the connection was closed'));
    });
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** True while the broker does not accept messages from this connection. */
  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  /** Why the connection ended, if the broker gave a reason. */
  get fault(): Error | undefined {
    return this.#fault;
  }

  /** Resolves when the broker responds on this connection. */
  async answers(): Promise<void> {
    this.#pulse ??= this.model.createChannel().then((channel) => channel.on('error', () => {}));
    const channel = await this.#pulse;
    // Nothing is consumed on this channel: setting the prefetch is just the shortest request with a response.
    await channel.prefetch(1);
  }

  /** Runs a short task on a channel of its own, because a failed declaration closes the channel. */
  async withChannel<T>(task: (channel: Channel) => Promise<T>): Promise<T> {
    const channel = await this.model.createChannel();
    channel.on('error', () => {});
    try {
      return await task(channel);
    } finally {
      await this.closeChannel(channel);
    }
  }

  /** The number of messages and consumers of a queue; undefined when it does not exist. */
  async checkQueue(queue: string): Promise<Replies.AssertQueue | undefined> {
    try {
      return await this.withChannel((channel) => channel.checkQueue(queue));
    } catch (error) {
      if ((error as { code?: unknown }).code === 404) return undefined;
      throw error;
    }
  }

  /** Never rejects: a channel that cannot be closed ends with the connection. */
  async closeChannel(channel: Channel): Promise<void> {
    // amqplib never settles the close of a channel whose connection ends in the meantime.
    await Promise.race([channel.close(), this.lost]).catch(() => {});
  }

  async close(): Promise<void> {
    if (!(await resolvesWithin(closeTimeoutMs, this.model.close()))) this.destroy();
  }

  /** Ends a connection that no longer responds. */
  destroy(): void {
    // amqplib cannot end a connection without a response of the broker, and notices a closed socket only by an error.
    socketOf(this.model).destroy(new Error('the connection stopped responding and was closed'));
  }
}

function withHeartbeat(url: string): string {
  const address = new URL(url);
  // amqplib reads the heartbeat from the URL only.
  if (!address.searchParams.has('heartbeat')) address.searchParams.set('heartbeat', String(heartbeatSeconds));
  return address.toString();
}

/** Opens an unsupervised connection. */
export async function openConnection(url: string, name: string): Promise<Connection> {
  const connection = await connect(withHeartbeat(url), {
    noDelay: true,
    timeout: connectTimeoutMs,
    clientProperties: { connection_name: name },
  });
  // No await before this, so that the connection sees an early end of the connection.
  return new Connection(connection);
}

/** Runs a task on its own connection, so that a failure does not affect other work. */
export type WithConnection = <T>(task: (connection: Connection) => Promise<T>) => Promise<T>;

export function connectionsTo(url: string, name: string): WithConnection {
  return async (task) => {
    const connection = await openConnection(url, name);
    try {
      return await task(connection);
    } finally {
      await connection.close();
    }
  };
}
