import type { Socket } from 'node:net';
import { connect, type Channel, type ChannelModel, type Replies } from 'amqplib';
import { resolvesWithin } from '@receipts/concurrency';
import { Addresses } from '../addresses';
import { corkWrites } from './cork-writes';

/** Another installation uses this prefix on the broker. A retry does not help. */
export class PrefixTakenError extends Error {
  constructor(platform: string) {
    super(
      `another installation uses the prefix ${platform} on this broker: ` +
        `set another RESOURCE_PREFIX, or use another virtual host`,
    );
    this.name = 'PrefixTakenError';
  }
}

const heartbeatSeconds = 5;
const connectTimeoutMs = 5_000;
const closeTimeoutMs = 2_000;

/** amqplib does not declare its socket. */
function socketOf(model: ChannelModel): Socket {
  return (model.connection as unknown as { readonly stream: Socket }).stream;
}

/** The bytes that a connection has received and sent, and whether more are waiting to be sent. */
export interface Traffic {
  readonly received: number;
  readonly sent: number;
  readonly isSending: boolean;
}

/** One connection, from its opening to its end. It is not used again after it is lost. */
export class Connection {
  /** amqplib's connection. */
  readonly model: ChannelModel;
  /** Rejects when the connection ends. */
  readonly lost: Promise<never>;
  isLost = false;
  /** True while the broker does not accept messages from this connection. */
  isBlocked = false;
  /** Why the connection ended, if the broker gave a reason. */
  fault: Error | undefined;
  private readonly socket: Socket;
  /** The address of the node. */
  readonly address: string;
  readonly name: string;

  constructor(model: ChannelModel, address: string, name: string) {
    this.model = model;
    this.address = address;
    this.name = name;
    this.socket = socketOf(model);
    corkWrites(this.socket);
    let lose: (error: Error) => void = () => {};
    this.lost = new Promise((_, reject) => (lose = reject));
    this.lost.catch(() => {});
    model.on('error', (error) => (this.fault = error));
    model.on('blocked', () => (this.isBlocked = true));
    model.on('unblocked', () => (this.isBlocked = false));
    model.on('close', (error) => {
      this.isLost = true;
      this.fault ??= error;
      lose(this.fault ?? new Error('the connection was closed'));
    });
  }

  get traffic(): Traffic {
    const { bytesRead: received, bytesWritten, writableLength: waiting } = this.socket;
    return { received, sent: bytesWritten - waiting, isSending: waiting > 0 };
  }

  /** Runs a task on another connection to the same node, so that a failure does not affect this connection. */
  async withSibling<T>(task: (connection: Connection) => Promise<T>): Promise<T> {
    return onConnection(await openConnection(this.address, `${this.name}, side task`), task);
  }

  /** Runs a short task on its own channel, because a failed declaration closes the channel. */
  async withChannel<T>(task: (channel: Channel) => Promise<T>): Promise<T> {
    const channel = await this.model.createChannel();
    channel.on('error', () => {});
    try {
      return await task(channel);
    } finally {
      await this.closeChannel(channel);
    }
  }

  /** The number of messages and consumers of a queue; undefined if it does not exist. */
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
    // amqplib cannot end a connection without a response from the broker, and notices a closed socket only through an
    // error.
    this.socket.destroy(new Error('the connection stopped responding and was closed'));
  }
}

function withHeartbeat(url: string): string {
  const address = new URL(url);
  // amqplib reads the heartbeat only from the URL.
  if (!address.searchParams.has('heartbeat')) address.searchParams.set('heartbeat', String(heartbeatSeconds));
  return address.toString();
}

/** Opens an unsupervised connection to one address. */
export async function openConnection(
  address: string,
  name: string,
  timeoutMs = connectTimeoutMs,
): Promise<Connection> {
  const model = await connect(withHeartbeat(address), {
    noDelay: true,
    timeout: timeoutMs,
    clientProperties: { connection_name: name },
  });
  // Nothing is awaited before this point, so that an early loss of the connection is detected.
  return new Connection(model, address, name);
}

/** Runs a task on its own connection, so that a failure does not affect other work. */
export type WithConnection = <T>(task: (connection: Connection) => Promise<T>) => Promise<T>;

async function onConnection<T>(opened: Connection, task: (connection: Connection) => Promise<T>): Promise<T> {
  try {
    return await task(opened);
  } finally {
    await opened.close();
  }
}

/** @param url may list the nodes of a cluster, of which the first that accepts a connection is used */
export function connectionsTo(url: string, name: string): WithConnection {
  const addresses = new Addresses(url);
  return async (task) =>
    onConnection(await addresses.tryEach((address) => openConnection(address, name)), task);
}
