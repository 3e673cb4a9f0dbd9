import { connect, type Channel, type ChannelModel } from 'amqplib';
import { faultFields, type Log } from './log';
import type { BrokerState } from './metrics';
import { Slot, type ChannelPlan } from './slot';
import { socketOf } from './straight-writes';
import { pause, within } from './time-limit';

const heartbeatSeconds = 5;
const connectTimeoutMs = 5_000;
/** Declaring everything after a connect; generous, because a broker that has just booted is slow. */
const setupTimeoutMs = 30_000;
const reconnectDelayMinMs = 100;
const reconnectDelayMaxMs = 2_000;
export const startTimeoutMs = 60_000;
/** With more than this unsent, the socket is full and messages wait on our side, where they can still be given up. */
const unsentBytesMax = 4 * 1024 * 1024;

export interface LinkOptions {
  readonly url: string;
  /** Shown in the broker's list of connections. */
  readonly name: string;
  readonly log: Log;
  /** Declares what the channels of this connection need. AMQP only. */
  readonly setup?: (session: Session) => Promise<void>;
}

/** One connection from its opening to its end. Never used again once it is lost. */
export class Session {
  readonly connection: ChannelModel;
  readonly lost: Promise<never>;
  #fault: Error | undefined;
  #isLost = false;
  #lose: (error: Error) => void = () => {};

  constructor(connection: ChannelModel) {
    this.connection = connection;
    this.lost = new Promise((_, reject) => (this.#lose = reject));
    this.lost.catch(() => {});
    connection.on('error', (error) => (this.#fault = error));
    connection.on('close', (error) => {
      this.#isLost = true;
      this.#fault ??= error;
      this.#lose(this.#fault ?? new Error('the connection was closed'));
    });
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Why the connection ended, as far as the broker said. */
  get fault(): Error | undefined {
    return this.#fault;
  }

  /** Gives a channel for a short task; a failed declaration closes it and nothing else. */
  async withChannel<T>(task: (channel: Channel) => Promise<T>): Promise<T> {
    const channel = await this.connection.createChannel();
    channel.on('error', () => {});
    try {
      return await task(channel);
    } finally {
      await channel.close().catch(() => {});
    }
  }

  destroy(): void {
    socketOf(this.connection).destroy();
  }
}

function withHeartbeat(url: string): string {
  const address = new URL(url);
  // amqplib reads the heartbeat from the address only.
  if (!address.searchParams.has('heartbeat')) address.searchParams.set('heartbeat', String(heartbeatSeconds));
  return address.toString();
}

/** Opens a connection that nobody supervises, for a short task or for a link. */
export async function openSession(url: string, name: string): Promise<Session> {
  const connection = await connect(withHeartbeat(url), {
    noDelay: true,
    timeout: connectTimeoutMs,
    clientProperties: { connection_name: name },
  });
  // Before any await, so that an end during the set-up is seen.
  return new Session(connection);
}

/** A supervised connection: it is opened again for as long as it takes, with all its channels, until it is closed. */
export class Link {
  readonly #options: LinkOptions;
  readonly #slots = new Set<Slot>();
  readonly #listeners = new Set<() => void>();
  #session: Session | undefined;
  #isBlocked = false;
  #isClosed = false;
  #isReconnecting = false;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  get state(): BrokerState {
    if (!this.#session) return 'down';
    return this.#isBlocked ? 'blocked' : 'up';
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get log(): Log {
    return this.#options.log;
  }

  /** False while there is no connection, while the broker blocks it, and while the socket is full. */
  get canWrite(): boolean {
    if (!this.#session || this.#isBlocked) return false;
    return socketOf(this.#session.connection).writableLength < unsentBytesMax;
  }

  /** Called whenever something that others may wait for has changed: up, blocked, down, writable, a channel. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /** @throws Error when the broker was not reached within a minute. */
  async start(): Promise<void> {
    const giveUpAt = Date.now() + startTimeoutMs;
    await this.#connectUntilUp(giveUpAt);
  }

  /** Adds a channel that is opened again whenever it, or the connection, is lost. */
  async open(plan: ChannelPlan): Promise<Slot> {
    const slot = new Slot(this, plan);
    this.#slots.add(slot);
    if (this.#session) await slot.open(this.#session);
    else await this.#untilOpen(slot);
    return slot;
  }

  #untilOpen(slot: Slot): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.onChange(() => {
        if (!slot.channel && !this.#isClosed) return;
        stop();
        resolve();
      });
    });
  }

  async remove(slot: Slot): Promise<void> {
    this.#slots.delete(slot);
    await slot.close();
  }

  get session(): Session | undefined {
    return this.#session;
  }

  /** Closes the channels, so that what was written before is dealt with, then the connection. */
  async close(timeoutMs: number): Promise<void> {
    this.#isClosed = true;
    const session = this.#session;
    if (!session) return;
    const farewell = async () => {
      await Promise.all([...this.#slots].map((slot) => slot.close()));
      await session.connection.close();
    };
    await within(timeoutMs, 'closing the connection', farewell()).catch(() => session.destroy());
    this.#session = undefined;
  }

  async #connectUntilUp(giveUpAt: number): Promise<void> {
    const { log, name } = this.#options;
    for (let attempt = 0; !this.#isClosed; attempt++) {
      try {
        await this.#connectOnce();
        return;
      } catch (error) {
        if (attempt === 0 || attempt % 10 === 9) {
          log.warn('the broker is not reached', { connection: name, attempt, ...faultFields(error) });
        }
        if (Date.now() > giveUpAt) throw error;
      }
      // Full jitter, so that a fleet does not come back in step.
      const most = Math.min(reconnectDelayMaxMs, reconnectDelayMinMs * 2 ** Math.min(attempt, 10));
      await pause(Math.random() * most);
    }
  }

  async #connectOnce(): Promise<void> {
    const { url, name, setup } = this.#options;
    const session = await openSession(url, name);
    const { connection } = session;
    connection.on('blocked', () => this.#block(session, true));
    connection.on('unblocked', () => this.#block(session, false));
    connection.on('close', () => this.#lost(session));
    socketOf(connection).on('drain', () => this.changed());
    try {
      const all = async () => {
        await setup?.(session);
        await Promise.all([...this.#slots].map((slot) => slot.open(session)));
      };
      await within(setupTimeoutMs, 'setting up the connection', Promise.race([session.lost, all()]));
      if (session.isLost) await session.lost;
    } catch (error) {
      for (const slot of this.#slots) slot.refused(session.fault);
      session.destroy();
      throw session.fault ?? error;
    }
    if (this.#isClosed) return session.destroy();
    this.#isBlocked = false;
    this.#isReconnecting = false;
    this.#session = session;
    // Channels that were asked for while the others were opened.
    for (const slot of this.#slots) if (slot.isIdle) void slot.reopen(session);
    this.#options.log.info('connected to the broker', { connection: name });
    this.changed();
  }

  #block(session: Session, isBlocked: boolean): void {
    if (session !== this.#session) return;
    this.#isBlocked = isBlocked;
    this.#options.log.warn(isBlocked ? 'the broker blocks publishers' : 'the broker takes messages again', {
      connection: this.#options.name,
    });
    this.changed();
  }

  #lost(session: Session): void {
    if (session !== this.#session) return;
    this.#session = undefined;
    this.changed();
    if (this.#isClosed || this.#isReconnecting) return;
    this.#options.log.warn('the connection to the broker was lost', {
      connection: this.#options.name,
      error: session.fault?.message,
    });
    this.#isReconnecting = true;
    void this.#connectUntilUp(Infinity);
  }
}
