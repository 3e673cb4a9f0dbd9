import { backoffMs, pause, within } from '@receipts/kernel';

export { backoffMs, pause, within };

/** Whether a promise resolves within `ms` milliseconds. Never rejects. */
export function resolvesWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  return within(ms, 'a promise', promise).then(
    () => true,
    () => false,
  );
}

/** A function that calls `run` once per turn of the event loop, however often it is called. */
export function oncePerTurn(run: () => void): () => void {
  let isScheduled = false;
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    // After this turn everything from the same socket read has been added.
    setImmediate(() => {
      isScheduled = false;
      run();
    });
  };
}

/** Lets callers wait until nothing is in progress. */
export class Idle {
  readonly #isIdle: () => boolean;
  #waiters: (() => void)[] = [];

  constructor(isIdle: () => boolean) {
    this.#isIdle = isIdle;
  }

  wait(): Promise<void> {
    if (this.#isIdle()) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** Called whenever something has ended. */
  check(): void {
    if (this.#waiters.length > 0 && this.#isIdle()) for (const resolve of this.#waiters.splice(0)) resolve();
  }
}
