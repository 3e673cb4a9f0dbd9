import type { Channel, ConfirmChannel } from 'amqplib';
import type { Link, Session } from './link';
import { faultFields } from './log';
import { writeStraight } from './straight-writes';
import { pause, within } from './time-limit';

const reopenDelayMinMs = 50;
const reopenDelayMaxMs = 5_000;
const closeTimeoutMs = 1_000;

export interface ChannelPlan {
  readonly name: string;
  readonly confirms?: boolean;
  /** What must be there before the channel, such as its queues. AMQP only. */
  readonly prepare?: (session: Session) => Promise<void>;
  /** AMQP only; ends in a round trip. */
  readonly setup?: (channel: ConfirmChannel) => Promise<void>;
  /** The channel is in use from now on. */
  readonly opened?: () => void;
  /** The channel is gone, and with it all that was unanswered on it. */
  readonly closed?: () => void;
  /** The channel could not be opened, and the broker ended the connection for it with this error. */
  readonly refused?: (fault: Error | undefined) => void;
}

/** A place for one channel, which is opened again whenever it was lost. */
export class Slot {
  readonly #link: Link;
  readonly #plan: ChannelPlan;
  #channel: ConfirmChannel | undefined;
  #isClosed = false;
  #isOpening = false;

  constructor(link: Link, plan: ChannelPlan) {
    this.#link = link;
    this.#plan = plan;
  }

  /** The channel while it is open. */
  get channel(): ConfirmChannel | undefined {
    return this.#channel;
  }

  /** True when nobody is about to open it. */
  get isIdle(): boolean {
    return !this.#channel && !this.#isOpening && !this.#isClosed;
  }

  async open(session: Session): Promise<void> {
    if (this.#isClosed) return;
    this.#isOpening = true;
    await this.#plan.prepare?.(session);
    const channel = await this.#create(session);
    let isGone = false;
    writeStraight(session.connection, channel);
    channel.on('error', (error) => {
      this.#link.log.warn('the broker closed a channel', { channel: this.#plan.name, ...faultFields(error) });
    });
    channel.on('handler-error', (error) => {
      this.#link.log.error('a channel listener failed', { channel: this.#plan.name, ...faultFields(error) });
    });
    channel.on('close', () => {
      isGone = true;
      if (this.#channel === channel) this.#lost(session);
    });
    await this.#plan.setup?.(channel);
    if (isGone || session.isLost) throw new Error(`channel ${this.#plan.name} was lost while it was opened`);
    this.#isOpening = false;
    this.#channel = channel;
    this.#plan.opened?.();
    this.#link.changed();
  }

  refused(fault: Error | undefined): void {
    if (this.#isOpening) this.#plan.refused?.(fault);
  }

  /** Gives the channel up, so that everything unanswered on it is known to be unknown; another is opened. */
  async renew(): Promise<void> {
    const channel = this.#channel;
    if (!channel) return;
    await within(closeTimeoutMs, 'closing a channel', channel.close()).catch(() => {
      this.#link.session?.destroy();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const channel = this.#channel;
    if (!channel) return;
    await within(closeTimeoutMs, 'closing a channel', channel.close()).catch(() => {});
  }

  async #create(session: Session): Promise<ConfirmChannel> {
    if (this.#plan.confirms) return session.connection.createConfirmChannel();
    const plain: Channel = await session.connection.createChannel();
    return plain as ConfirmChannel;
  }

  #lost(session: Session): void {
    this.#channel = undefined;
    this.#plan.closed?.();
    this.#link.changed();
    if (!this.#isClosed) void this.reopen(session);
  }

  /** Opens it on this connection, trying again for as long as the connection lives. */
  async reopen(session: Session): Promise<void> {
    this.#isOpening = true;
    for (let attempt = 0; ; attempt++) {
      await pause(Math.min(reopenDelayMaxMs, reopenDelayMinMs * 2 ** attempt));
      // With the connection gone the next one opens the channel.
      if (this.#isClosed || session.isLost || this.#link.session !== session) return;
      try {
        return await this.open(session);
      } catch (error) {
        this.#link.log.warn('a channel is not opened', { channel: this.#plan.name, ...faultFields(error) });
      }
    }
  }
}
