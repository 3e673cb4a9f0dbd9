/**
 * Records since when each queue has not been empty. The broker does not report the age of a queue's first message; the
 * time since then is an upper bound.
 */
export class QueueAges {
  private readonly waitingSince = new Map<string, number>();

  /** @param now epoch milliseconds */
  note(depths: readonly { readonly queue: string; readonly messages: number }[], now: number): void {
    for (const { queue, messages } of depths) {
      if (messages === 0) this.waitingSince.delete(queue);
      else if (!this.waitingSince.has(queue)) this.waitingSince.set(queue, now);
    }
  }

  /** The age in whole seconds; 0 for a queue that was empty at the last check. */
  secondsOf(queue: string, now: number): number {
    const since = this.waitingSince.get(queue);
    return since === undefined ? 0 : Math.max(0, Math.floor((now - since) / 1000));
  }
}
