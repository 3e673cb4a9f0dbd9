import type { Socket } from 'node:net';
import { setTimeout as unreferencedPause } from 'node:timers/promises';
import { connect, type Channel, type ChannelModel, type Replies } from 'amqplib';
import { resolvesWithin, type Log } from '@receipts/kernel';
import { corkWrites } from './cork-writes';

/** A queue exists but does not accept messages. It may recover, so the caller retries. */
export class QueueUnavailableError extends Error {}

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
  private pulse: Promise<Channel> | undefined;

  constructor(model: ChannelModel) {
    this.model = model;
    corkWrites(socketOf(model));
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

  /** Resolves when the broker responds on this connection. */
  async answers(): Promise<void> {
    this.pulse ??= this.model.createChannel().then((channel) => channel.on('error', () => {}));
    const channel = await this.pulse;
    // Nothing is consumed on this channel: setting the prefetch is merely the cheapest request that has a response.
    await channel.prefetch(1);
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
    socketOf(this.model).destroy(new Error('the connection stopped responding and was closed'));
  }
}

function withHeartbeat(url: string): string {
  const address = new URL(url);
  // amqplib reads the heartbeat only from the URL.
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
  // Nothing is awaited before this point, so that an early loss of the connection is detected.
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

const everyMs = 1_000;
const answerTimeoutMs = 2_000;
const probeTimeoutMs = 1_500;

/**
 * Gives up on a connection that gets no responses although the broker responds to a new connection, for example because
 * a network drops packets or a proxy hangs. Heartbeats detect this only after 15 s; a broker that does not respond on
 * any connection is left to the heartbeats. Resolves when the connection has ended.
 */
export async function watchConnection(
  connection: Connection,
  url: string,
  name: string,
  log: Log,
): Promise<void> {
  while (!connection.isLost) {
    await unreferencedPause(everyMs, undefined, { ref: false });
    // A broker that has blocked a connection does not read requests from it.
    if (connection.isBlocked || (await resolvesWithin(answerTimeoutMs, connection.answers()))) continue;
    if (connection.isLost || connection.isBlocked) continue;
    const other = openConnection(url, `${name} probe`);
    const answersOthers = await resolvesWithin(probeTimeoutMs, other);
    void other.then((opened) => opened.close()).catch(() => {});
    // On a busy machine, the response may just be late, so the connection gets another chance.
    if (!answersOthers || (await resolvesWithin(answerTimeoutMs, connection.answers()))) continue;
    if (connection.isLost) return;
    log.error('a connection is not responding although the broker responds on others; closing it', {
      connection: name,
    });
    return connection.destroy();
  }
}
