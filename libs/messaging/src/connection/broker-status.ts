import type { BrokerState } from '../reporting/metrics';
import type { SupervisedConnection } from './supervised-connection';

/** The common state of the connections of one broker client. */
export class BrokerStatus {
  readonly #connections: readonly [SupervisedConnection, SupervisedConnection];
  readonly #upListeners = new Set<() => void>();
  #state: BrokerState = 'down';
  #isAnnouncing = false;

  constructor(
    publishing: SupervisedConnection,
    consuming: SupervisedConnection,
    changed: (state: BrokerState) => void,
  ) {
    this.#connections = [publishing, consuming];
    for (const connection of this.#connections) connection.onChange(() => this.#update(changed));
  }

  get state(): BrokerState {
    return this.#state;
  }

  onConnected(listener: () => void): () => void {
    this.#upListeners.add(listener);
    return () => void this.#upListeners.delete(listener);
  }

  /** Calls the listeners. Consumers come back at nearly the same time, so they are called once for all of them. */
  announceUp(): void {
    if (this.#isAnnouncing) return;
    this.#isAnnouncing = true;
    setImmediate(() => {
      this.#isAnnouncing = false;
      if (this.#state === 'up') for (const listener of this.#upListeners) listener();
    });
  }

  #update(changed: (state: BrokerState) => void): void {
    const [publishing, consuming] = this.#connections;
    const before = this.#state;
    this.#state = consuming.state === 'down' ? 'down' : publishing.state;
    if (this.#state === before) return;
    changed(this.#state);
    if (before === 'down') this.announceUp();
  }
}
