import { faultFields, type Log } from '../reporting/log';
import type { BrokerState } from '../reporting/metrics';
import { openSession, type Session } from './session';
import type { Slot } from './slot';
import { PrefixTakenError, QueueTakesNothing } from './setup-errors';
import { socketOf } from './straight-writes';
import { pause, within } from './time-limit';
import { watchConnection } from './watch-connection';

/** Time to declare everything after a connect. It is long because the broker takes 5 s to give up a lost queue. */
const setupTimeoutMs = 60_000;
const reconnectDelayMinMs = 100;
/** Short, because everything waits for the connection, and an attempt that is refused costs a broker nothing. */
const reconnectDelayMaxMs = 500;
export const startTimeoutMs = 60_000;
/**
 * With more unsent bytes the socket counts as full, and messages wait on our side, where they can still be given up.
 */
const unsentBytesMax = 4 * 1024 * 1024;

export interface LinkOptions {
  readonly url: string;
  /** Shown in the broker's list of connections. */
  readonly name: string;
  readonly log: Log;
  /** Declares what the channels of this connection need, through AMQP only. */
  readonly setup: (session: Session) => Promise<void>;
}

/** A supervised connection, which is reopened with all its channels until it is closed. */
export class Link {
  readonly #options: LinkOptions;
  readonly #slots = new Set<Slot>();
  readonly #listeners = new Set<() => void>();
  #session: Session | undefined;
  #isClosed = false;
  #isConnecting = false;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  get state(): BrokerState {
    if (!this.#session) return 'down';
    return this.#session.isBlocked ? 'blocked' : 'up';
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get log(): Log {
    return this.#options.log;
  }

  get session(): Session | undefined {
    return this.#session;
  }

  /** False without a connection, while the broker blocks it, and while the socket is full. */
  get canWrite(): boolean {
    return (
      this.#session !== undefined && !this.#session.isBlocked && this.#session.unsentBytes < unsentBytesMax
    );
  }

  /** Called on every change of state (up, blocked, down), of writability, or of a channel. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /** @throws Error when the broker was not reached within a minute */
  async start(): Promise<void> {
    await this.#connectUntilUp(Date.now() + startTimeoutMs);
  }

  /**
   * Opens a channel, and reopens it whenever it or the connection is lost.
   * @throws Error when the broker refuses the channel although the connection is up
   */
  async open(slot: Slot): Promise<void> {
    this.#slots.add(slot);
    const session = this.#session;
    if (!session) await this.#untilOpen(slot);
    else {
      try {
        await slot.open(session);
      } catch (error) {
        if (!session.isLost && !(error instanceof QueueTakesNothing)) {
          this.#slots.delete(slot);
          throw error;
        }
        void slot.reopen(session);
        await this.#untilOpen(slot);
      }
    }
  }

  async remove(slot: Slot): Promise<void> {
    this.#slots.delete(slot);
    await slot.close();
  }

  /** Closes the channels first, so that everything written before is processed, and then the connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const session = this.#session;
    await Promise.all([...this.#slots].map((slot) => slot.close()));
    await session?.close();
    this.#session = undefined;
    this.changed();
  }

  #untilOpen(slot: Slot): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!slot.channel && !this.#isClosed) return;
        stop();
        resolve();
      };
      const stop = this.onChange(look);
      look();
    });
  }

  async #connectUntilUp(giveUpAt: number): Promise<void> {
    const { log, name } = this.#options;
    this.#isConnecting = true;
    for (let attempt = 0; !this.#isClosed; attempt++) {
      try {
        return await this.#connectOnce();
      } catch (error) {
        if (attempt === 0 || attempt % 10 === 9) {
          log.warn('the broker is not reached', { connection: name, attempt, ...faultFields(error) });
        }
        // A retry cannot help when the platform's name is taken.
        if (error instanceof PrefixTakenError || Date.now() > giveUpAt) throw error;
      }
      // Full jitter, so that the processes do not reconnect in step.
      const most = Math.min(reconnectDelayMaxMs, reconnectDelayMinMs * 2 ** Math.min(attempt, 10));
      await pause(Math.random() * most);
    }
  }

  async #connectOnce(): Promise<void> {
    const { url, name, setup, log } = this.#options;
    const session = await openSession(url, name);
    const { connection } = session;
    connection.on('blocked', () => this.#blocked(session, 'the broker blocks publishers'));
    connection.on('unblocked', () => this.#blocked(session, 'the broker takes messages again'));
    connection.on('close', () => this.#lost(session));
    socketOf(connection).on('drain', () => this.changed());
    try {
      const all = async () => {
        await setup(session);
        await Promise.all([...this.#slots].map((slot) => slot.open(session)));
      };
      await within(setupTimeoutMs, 'setting up the connection', Promise.race([session.lost, all()]));
      if (session.isLost) await session.lost;
    } catch (error) {
      session.destroy();
      throw session.fault ?? error;
    }
    if (this.#isClosed) return session.destroy();
    this.#isConnecting = false;
    this.#session = session;
    // Opens the channels that were requested while the others were being opened.
    for (const slot of this.#slots) if (slot.isIdle) void slot.reopen(session);
    watchConnection({ session, log, name, probe: () => openSession(url, `${name} probe`) });
    log.info('connected to the broker', { connection: name });
    this.changed();
  }

  #blocked(session: Session, what: string): void {
    if (session !== this.#session) return;
    this.#options.log.warn(what, { connection: this.#options.name });
    this.changed();
  }

  #lost(session: Session): void {
    if (session !== this.#session) return;
    this.#session = undefined;
    this.changed();
    if (this.#isClosed || this.#isConnecting) return;
    const { log, name } = this.#options;
    log.warn('the connection to the broker was lost', { connection: name, error: session.fault });
    void this.#connectUntilUp(Infinity);
  }
}
