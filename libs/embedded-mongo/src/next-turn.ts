/** Resolves after all other pending work of the event loop has run. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Makes long scans take turns: only one scan continues in each turn of the event loop, so that a write waits for only
 * one slice, no matter how many scans are in progress.
 */
export class ScanTurns {
  private readonly waiting: (() => void)[] = [];

  /** Resolves when the caller may run its next slice. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      if (this.waiting.length === 1) setImmediate(this.start);
    });
  }

  private readonly start = (): void => {
    this.waiting.shift()?.();
    if (this.waiting.length > 0) setImmediate(this.start);
  };
}
