import { ServiceError, unavailable } from '@receipts/kernel';
import type { SupervisedConnection } from '../connection/supervised-connection';
import type { SupervisedChannel } from '../connection/supervised-channel';

/** How long calls wait for a connection that is being replaced; after that the broker counts as unavailable. */
const reconnectWaitMaxMs = 1_500;
/** Maximum calls waiting for a reply or confirm; beyond that the process is overloaded and refuses calls. */
const outstandingMax = 20_000;
const outstandingBytesMax = 128 * 1024 * 1024;

export const retryAfterSeconds = '1';

/** The 503 for callers when the broker or the owner cannot be reached in time. */
export function unavailableError(internal: string): ServiceError {
  return new ServiceError(unavailable, { internal, headers: { 'retry-after': retryAfterSeconds } });
}

/** Decides whether a message is sent now, waits for a channel, or is refused. */
export class BackpressureGate {
  readonly #connection: SupervisedConnection;
  readonly #channel: SupervisedChannel;
  readonly #now: () => number;
  #outstanding = 0;
  #outstandingBytes = 0;
  #unusableSince: number | undefined;

  constructor(connection: SupervisedConnection, channel: SupervisedChannel, now: () => number) {
    this.#connection = connection;
    this.#channel = channel;
    this.#now = now;
    this.#unusableSince = now();
    connection.onChange(() => {
      this.#unusableSince = this.isOpen ? undefined : (this.#unusableSince ?? now());
    });
  }

  get isOpen(): boolean {
    return this.#channel.channel !== undefined && this.#connection.state === 'up';
  }

  /** True when the channel can accept a message now. */
  get canWrite(): boolean {
    return this.isOpen && this.#connection.canWrite;
  }

  /** False when the connection is blocked or closed, or has been lost for too long to wait for it. */
  get isWorthWaiting(): boolean {
    if (this.#connection.state === 'blocked' || this.#connection.isClosed) return false;
    return this.#unusableSince === undefined || this.#now() - this.#unusableSince < reconnectWaitMaxMs;
  }

  /** @throws ServiceError 503 when too many calls are waiting, or the broker is unavailable */
  enter(bytes: number): void {
    if (!this.isOpen && !this.isWorthWaiting)
      throw unavailableError(`the broker is ${this.#connection.state}`);
    if (this.#outstanding >= outstandingMax || this.#outstandingBytes + bytes > outstandingBytesMax) {
      throw unavailableError('too many messages are unanswered');
    }
    this.#outstanding++;
    this.#outstandingBytes += bytes;
  }

  leave(bytes: number): void {
    this.#outstanding--;
    this.#outstandingBytes -= bytes;
  }

  /** Until when a call may wait for a connection, in epoch milliseconds; undefined while connected. */
  get waitUntil(): number | undefined {
    return this.#unusableSince === undefined ? undefined : this.#unusableSince + reconnectWaitMaxMs;
  }
}
