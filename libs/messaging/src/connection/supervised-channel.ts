import type { ConfirmChannel, Options } from 'amqplib';
import { backoffMs, pause, resolvesWithin, within } from '@receipts/concurrency';
import { type Log } from '@receipts/kernel';
import type { BrokerState } from '../reporting/metrics';
import type { Connection } from './connection';

const reopenDelayMinMs = 50;
const reopenDelayMaxMs = 5_000;
const closeTimeoutMs = 1_000;
/** Long, because new queues are declared one after another. */
const openMaxMs = 60_000;
/**
 * How long the first attempt to reopen a channel may take; each further one may take twice as long. An attempt hangs if it
 * needs a quorum queue whose leader is frozen, but a later one finds the next leader.
 */
const reopenMinMs = 3_000;

export interface OutgoingMessage {
  /** Empty for the default exchange. */
  readonly exchange: string;
  readonly key: string;
  readonly content: Buffer;
  readonly properties: Options.Publish;
}

export interface ChannelPlan {
  readonly name: string;
  readonly confirms?: boolean;
  /** Declares what the channel needs, such as its queues. It uses AMQP, and what ends in limited time. */
  readonly prepare?: (connection: Connection) => Promise<void>;
  /** Sets up the channel. May only use AMQP, and must end with a round trip. */
  readonly setup?: (channel: ConfirmChannel) => Promise<void>;
  /** Called when the channel is ready for use. */
  readonly opened?: () => void;
  /** Called when the channel is lost, together with everything pending on it. */
  readonly closed?: () => void;
}

/** The supervised connection that a channel belongs to. */
export interface ChannelHost {
  readonly log: Log;
  readonly state: BrokerState;
  readonly current: Connection | undefined;
  changed(): void;
}

/** Holds one channel and reopens it whenever it is lost. */
export class SupervisedChannel {
  private openChannel: ConfirmChannel | undefined;
  private isClosed = false;
  private isRenewing = false;
  /** True from a publish that filled amqplib's buffer until the buffer is drained. */
  private isFull = false;
  private openWithinMs = openMaxMs;
  /** The connection on which the channel is being opened. */
  private opening: Connection | undefined;

  constructor(
    private readonly host: ChannelHost,
    private readonly plan: ChannelPlan,
  ) {}

  /** The channel while it is usable. */
  get current(): ConfirmChannel | undefined {
    return this.isClosed || this.isRenewing ? undefined : this.openChannel;
  }

  /** False if there is no channel, the broker blocks the connection, or the channel's buffer is full. */
  get canPublish(): boolean {
    return this.current !== undefined && this.host.state === 'up' && !this.isFull;
  }

  /**
   * @param confirmed called with the broker's response, on a channel with confirms
   * @throws Error if the channel is closed or the properties cannot be encoded
   */
  publish(message: OutgoingMessage, confirmed?: (error: unknown) => void): void {
    const { current: channel } = this;
    if (!channel) throw new Error(`the channel ${this.plan.name} is closed`);
    const { exchange, key, content, properties } = message;
    this.isFull = !channel.publish(exchange, key, content, properties, confirmed);
  }

  /** @throws Error if the connection ends, or the channel is not open in time */
  async open(connection: Connection): Promise<void> {
    if (this.isClosed) return;
    const { name } = this.plan;
    this.opening = connection;
    const prepared = Promise.race([connection.lost, this.prepare(connection)]);
    const opened = within(this.openWithinMs, `opening the channel ${name}`, prepared);
    try {
      const { channel, state } = await opened;
      if (state.isClosed || connection.isLost) throw new Error(`channel ${name} was lost while being opened`);
      this.openChannel = channel;
      this.openWithinMs = reopenMinMs;
    } catch (error) {
      this.openWithinMs = Math.min(openMaxMs, 2 * this.openWithinMs);
      // A channel that opens late must not consume in parallel with its replacement.
      void prepared.then(({ channel }) => connection.closeChannel(channel)).catch(() => {});
      throw error;
    } finally {
      if (this.opening === connection) this.opening = undefined;
    }
    this.plan.opened?.();
    this.host.changed();
  }

  /** Opens the channel. If that fails, it retries in the background. Never rejects. */
  async openOrRetry(connection: Connection): Promise<void> {
    if (!(await this.tryOpen(connection))) void this.reopen(connection);
  }

  /** Opens the channel on this connection after a pause, and retries as long as the connection is up. */
  async reopen(connection: Connection): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      await pause(backoffMs(attempt, reopenDelayMinMs, reopenDelayMaxMs));
      const isIdle = !this.openChannel && !this.opening && !this.isClosed;
      // If the connection is lost, the next connection opens the channel.
      if (!isIdle || connection.isLost || (await this.tryOpen(connection))) return;
    }
  }

  /** Replaces the channel, which ends everything pending on it with an unknown outcome. */
  async renew(): Promise<void> {
    const channel = this.openChannel;
    if (!channel || this.isRenewing) return;
    this.isRenewing = true;
    this.host.changed();
    // A single bad queue can block a channel while the broker otherwise works, so only the channel is abandoned. The
    // pulse gives up on a connection that does not work.
    if (!(await resolvesWithin(closeTimeoutMs, channel.close()))) channel.emit('close');
    this.isRenewing = false;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    if (this.openChannel) await resolvesWithin(closeTimeoutMs, this.openChannel.close());
  }

  private async tryOpen(connection: Connection): Promise<boolean> {
    try {
      await this.open(connection);
      return true;
    } catch (error) {
      if (!connection.isLost)
        this.host.log.warn('a channel could not be opened', { channel: this.plan.name, error });
      return false;
    }
  }

  private async prepare(
    connection: Connection,
  ): Promise<{ channel: ConfirmChannel; state: { readonly isClosed: boolean } }> {
    await this.plan.prepare?.(connection);
    const { model } = connection;
    const channel = this.plan.confirms
      ? await model.createConfirmChannel()
      : ((await model.createChannel()) as ConfirmChannel);
    const state = this.watch(channel, connection);
    await this.plan.setup?.(channel);
    return { channel, state };
  }

  private watch(channel: ConfirmChannel, connection: Connection): { readonly isClosed: boolean } {
    const state = { isClosed: false };
    const { log } = this.host;
    channel.on('drain', () => {
      this.isFull = false;
      this.host.changed();
    });
    channel.on('error', (error) => {
      log.warn('the broker closed a channel', { channel: this.plan.name, error });
    });
    channel.on('handler-error', (error) => {
      log.error('a channel listener failed', { channel: this.plan.name, error });
    });
    channel.on('close', () => {
      state.isClosed = true;
      if (this.openChannel === channel) this.lost(connection);
    });
    return state;
  }

  private lost(connection: Connection): void {
    this.openChannel = undefined;
    this.isFull = false;
    this.plan.closed?.();
    this.host.changed();
    if (!this.isClosed) void this.reopen(connection);
  }
}
