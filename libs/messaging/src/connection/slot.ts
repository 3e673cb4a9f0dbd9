import type { Channel, ConfirmChannel } from 'amqplib';
import { faultFields, type Log } from '../reporting/log';
import type { Session } from './session';
import { writeStraight } from './straight-writes';
import { pause, within } from './time-limit';

const reopenDelayMinMs = 50;
const reopenDelayMaxMs = 5_000;
const closeTimeoutMs = 1_000;
/** Long because the broker takes 5 s to give up a lost queue. */
const openTimeoutMs = 60_000;

export interface ChannelPlan {
  readonly name: string;
  readonly confirms?: boolean;
  /** Declares what the channel needs, such as its queues, through AMQP only. */
  readonly prepare?: (session: Session) => Promise<void>;
  /** Uses AMQP only and ends with a round trip. */
  readonly setup?: (channel: ConfirmChannel) => Promise<void>;
  /** Called when the channel is ready for use. */
  readonly opened?: () => void;
  /** Called when the channel is lost, together with everything unanswered on it. */
  readonly closed?: () => void;
}

/** The supervised connection that a slot belongs to. */
export interface SlotHost {
  readonly log: Log;
  readonly session: Session | undefined;
  changed(): void;
}

/** Holds one channel and reopens it whenever it is lost. */
export class Slot {
  readonly #host: SlotHost;
  readonly #plan: ChannelPlan;
  #channel: ConfirmChannel | undefined;
  #isClosed = false;
  #isRenewing = false;
  /** The connection on which the channel is being opened. */
  #opening: Session | undefined;

  constructor(host: SlotHost, plan: ChannelPlan) {
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
  async open(session: Session): Promise<void> {
    if (this.#isClosed) return;
    this.#opening = session;
    const prepared = Promise.race([session.lost, this.#prepare(session)]);
    const opened = within(openTimeoutMs, `opening the channel ${this.#plan.name}`, prepared);
    try {
      const { channel, fate } = await opened;
      if (fate.isGone || session.isLost)
        throw new Error(`channel ${this.#plan.name} was lost while it was opened`);
      this.#channel = channel;
    } catch (error) {
      // A channel that opens late must not consume in parallel with its replacement.
      void prepared.then(({ channel }) => session.closeChannel(channel)).catch(() => {});
      throw error;
    } finally {
      if (this.#opening === session) this.#opening = undefined;
    }
    this.#plan.opened?.();
    this.#host.changed();
  }

  /** Opens the channel on this connection, and retries as long as the connection is up. */
  async reopen(session: Session): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      await pause(Math.min(reopenDelayMaxMs, reopenDelayMinMs * 2 ** attempt));
      // After a loss of the connection, the next one opens the channel.
      if (!this.isIdle || session.isLost || this.#host.session !== session) return;
      try {
        return await this.open(session);
      } catch (error) {
        this.#host.log.warn('a channel is not opened', { channel: this.#plan.name, ...faultFields(error) });
      }
    }
  }

  /** Replaces the channel, which ends everything unanswered on it with an unknown outcome. */
  async renew(): Promise<void> {
    const channel = this.#channel;
    const session = this.#host.session;
    if (!channel || !session || this.#isRenewing) return;
    this.#isRenewing = true;
    this.#host.changed();
    try {
      await within(closeTimeoutMs, 'closing a channel', channel.close());
    } catch {
      // A single bad queue can block a channel while the broker works otherwise; then only the channel is abandoned.
      const isWell = await within(
        closeTimeoutMs,
        'opening a channel',
        session.withChannel(async () => true),
      ).catch(() => false);
      if (isWell) channel.emit('close');
      else session.destroy();
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

  async #prepare(session: Session): Promise<{ channel: ConfirmChannel; fate: { readonly isGone: boolean } }> {
    await this.#plan.prepare?.(session);
    const channel = await this.#create(session);
    const fate = this.#watch(channel, session);
    await this.#plan.setup?.(channel);
    return { channel, fate };
  }

  #watch(channel: ConfirmChannel, session: Session): { readonly isGone: boolean } {
    const fate = { isGone: false };
    const { log } = this.#host;
    writeStraight(session.connection, channel);
    channel.on('error', (error) => {
      log.warn('the broker closed a channel', { channel: this.#plan.name, ...faultFields(error) });
    });
    channel.on('handler-error', (error) => {
      log.error('a channel listener failed', { channel: this.#plan.name, ...faultFields(error) });
    });
    channel.on('close', () => {
      fate.isGone = true;
      if (this.#channel === channel) this.#lost(session);
    });
    return fate;
  }

  async #create(session: Session): Promise<ConfirmChannel> {
    if (this.#plan.confirms) return session.connection.createConfirmChannel();
    const plain: Channel = await session.connection.createChannel();
    return plain as ConfirmChannel;
  }

  #lost(session: Session): void {
    this.#channel = undefined;
    this.#plan.closed?.();
    this.#host.changed();
    if (!this.#isClosed) void this.reopen(session);
  }
}
