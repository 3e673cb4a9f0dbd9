/**
 * Since when queues have not been seen empty. The broker tells nobody how old the first message of a queue is, so this is what
 * can be known from outside: no message in it is older.
 */
export class QueueAges {
  readonly #waitingSince = new Map<string, number>();

  /** @param now epoch milliseconds */
  note(depths: readonly { readonly queue: string; readonly messages: number }[], now: number): void {
    for (const { queue, messages } of depths) {
      if (messages === 0) this.#waitingSince.delete(queue);
      else if (!this.#waitingSince.has(queue)) this.#waitingSince.set(queue, now);
    }
  }

  /** Whole seconds; 0 for a queue that was empty when it was last seen. */
  secondsOf(queue: string, now: number): number {
    const since = this.#waitingSince.get(queue);
    return since === undefined ? 0 : Math.max(0, Math.floor((now - since) / 1000));
  }
}
