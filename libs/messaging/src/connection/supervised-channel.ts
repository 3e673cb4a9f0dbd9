import type { Channel, ConfirmChannel } from 'amqplib';
import { faultFields, type Log } from '../reporting/log';
import type { Connection } from './connection';
import { writeDirectly } from './direct-socket-writes';
import { backoffMs, pause, within } from './timing';

const reopenDelayMinMs = 50;
const reopenDelayMaxMs = 5_000;
const closeTimeoutMs = 1_000;
/** Long because the broker takes 5 s to give up a lost queue. */
const openTimeoutMs = 60_000;

export interface ChannelPlan {
  readonly name: string;
  readonly confirms?: boolean;
  /** Declares what the channel needs, such as its queues, through AMQP only. */
  readonly prepare?: (connection: Connection) => Promise<void>;
  /** Uses AMQP only and ends with a round trip. */
  readonly setup?: (channel: ConfirmChannel) => Promise<void>;
  /** Called when the channel is ready for use. */
  readonly opened?: () => void;
  /** Called when the channel is lost, together with everything unanswered on it. */
  readonly closed?: () => void;
}

/** The supervised connection that a channel belongs to. */
export interface ChannelHost {
  readonly log: Log;
  readonly current: Connection | undefined;
  changed(): void;
}

/** Holds one channel and reopens it whenever it is lost. */
export class SupervisedChannel {
  readonly #host: ChannelHost;
  readonly #plan: ChannelPlan;
  #channel: ConfirmChannel | undefined;
  #isClosed = false;
  #isRenewing = false;
  /** The connection on which the channel is being opened. */
  #opening: Connection | undefined;

  constructor(host: ChannelHost, plan: ChannelPlan) {
    this.#host = host;
    this.#plan = plan;
  }

  /** The channel while it is usable. */
  get channel(): ConfirmChannel | undefined {
    return this.#isClosed || this.#isRenewing ? undefined : this.#channel;
  }

  /** True when the channel is closed and nothing is opening it. */
  get isIdle(): boolean {
    return !this.#channel && !this.#opening && !this.#isClosed;
  }

  /** @throws Error when the connection ends, or the channel is not open within a minute */
  async open(connection: Connection): Promise<void> {
    if (this.#isClosed) return;
    this.#opening = connection;
    const prepared = Promise.race([connection.lost, this.#prepare(connection)]);
    const opened = within(openTimeoutMs, `opening the channel ${this.#plan.name}`, prepared);
    try {
      const { channel, fate } = await opened;
      if (fate.isGone || connection.isLost)
        throw new Error(`channel ${this.#plan.name} was lost while it was opened`);
      this.#channel = channel;
    } catch (error) {
      // A channel that opens late must not consume in parallel with its replacement.
      void prepared.then(({ channel }) => connection.closeChannel(channel)).catch(() => {});
      throw error;
    } finally {
      if (this.#opening === connection) this.#opening = undefined;
    }
    this.#plan.opened?.();
    this.#host.changed();
  }

  /** Opens the channel on this connection, and retries as long as the connection is up. */
  async reopen(connection: Connection): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      await pause(backoffMs(attempt, reopenDelayMinMs, reopenDelayMaxMs));
      // After a loss of the connection, the next one opens the channel.
      if (!this.isIdle || connection.isLost || this.#host.current !== connection) return;
      try {
        return await this.open(connection);
      } catch (error) {
        this.#host.log.warn('a channel is not opened', { channel: this.#plan.name, ...faultFields(error) });
      }
    }
  }

  /** Replaces the channel, which ends everything unanswered on it with an unknown outcome. */
  async renew(): Promise<void> {
    const channel = this.#channel;
    const connection = this.#host.current;
    if (!channel || !connection || this.#isRenewing) return;
    this.#isRenewing = true;
    this.#host.changed();
    try {
      await within(closeTimeoutMs, 'closing a channel', channel.close());
    } catch {
      // A single bad queue can block a channel while the broker works otherwise; then only the channel is abandoned.
      const isWell = await within(
        closeTimeoutMs,
        'opening a channel',
        connection.withChannel(async () => true),
      ).catch(() => false);
      if (isWell) channel.emit('close');
      else connection.destroy();
    } finally {
      this.#isRenewing = false;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const channel = this.#channel;
    if (!channel) return;
    await within(closeTimeoutMs, 'closing a channel', channel.close()).catch(() => {});
  }

  async #prepare(
    connection: Connection,
  ): Promise<{ channel: ConfirmChannel; fate: { readonly isGone: boolean } }> {
    await this.#plan.prepare?.(connection);
    const channel = await this.#create(connection);
    const fate = this.#watch(channel, connection);
    await this.#plan.setup?.(channel);
    return { channel, fate };
  }

  #watch(channel: ConfirmChannel, connection: Connection): { readonly isGone: boolean } {
    const fate = { isGone: false };
    const { log } = this.#host;
    writeDirectly(connection.model, channel);
    channel.on('error', (error) => {
      log.warn('the broker closed a channel', { channel: this.#plan.name, ...faultFields(error) });
    });
    channel.on('handler-error', (error) => {
      log.error('a channel listener failed', { channel: this.#plan.name, ...faultFields(error) });
    });
    channel.on('close', () => {
      fate.isGone = true;
      if (this.#channel === channel) this.#lost(connection);
    });
    return fate;
  }

  async #create(connection: Connection): Promise<ConfirmChannel> {
    if (this.#plan.confirms) return connection.model.createConfirmChannel();
    const plain: Channel = await connection.model.createChannel();
    return plain as ConfirmChannel;
  }

  #lost(connection: Connection): void {
    this.#channel = undefined;
    this.#plan.closed?.();
    this.#host.changed();
    if (!this.#isClosed) void this.reopen(connection);
  }
}
