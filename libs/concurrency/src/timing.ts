/** Waits for a time in milliseconds, or until the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}

/**
 * Waits at most `ms` milliseconds for a promise.
 * @throws Error that states what timed out
 */
export function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms / 1_000} s`)), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

const failedPauseMs = 50;

/**
 * Makes attempts until one succeeds. The next begins when one has failed, or is late: it is not given up, but the next
 * may overtake it.
 * @returns undefined if none succeeds within `maxMs`
 */
export async function firstSuccess<T>(
  everyMs: number,
  maxMs: number,
  attempt: () => Promise<T>,
): Promise<T | undefined> {
  const giveUpAt = performance.now() + maxMs;
  let result: { readonly value: T } | undefined;
  let succeed = () => {};
  const success = new Promise<void>((resolve) => (succeed = resolve));
  const run = async () => {
    try {
      const value = await attempt();
      result ??= { value };
      succeed();
    } catch {
      await pause(failedPauseMs);
    }
  };
  for (let leftMs = maxMs; !result && leftMs > 0; leftMs = giveUpAt - performance.now()) {
    await Promise.race([success, run(), pause(Math.min(everyMs, leftMs))]);
  }
  return result?.value;
}

/** The delay before a retry, which doubles with each attempt (from 0) up to a maximum. */
export function backoffMs(attempt: number, minMs: number, maxMs: number): number {
  return Math.min(maxMs, minMs * 2 ** Math.min(attempt, 30));
}

/** Whether a promise resolves within `ms` milliseconds. Never rejects. */
export function resolvesWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  return within(ms, 'a promise', promise).then(
    () => true,
    () => false,
  );
}

/** A function that calls `run` once per turn of the event loop, no matter how often it is called. */
export function oncePerTurn(run: () => void): () => void {
  let isScheduled = false;
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    // By the end of this turn, everything from the same socket read has been processed.
    setImmediate(() => {
      isScheduled = false;
      run();
    });
  };
}

/** Lets callers wait until nothing is in progress. */
export class Idle {
  private readonly isIdle: () => boolean;
  private waiters: (() => void)[] = [];

  constructor(isIdle: () => boolean) {
    this.isIdle = isIdle;
  }

  wait(): Promise<void> {
    if (this.isIdle()) return Promise.resolve();
    return new Promise((resolve) => this.waiters.push(resolve));
  }

  /** Called whenever something has ended. */
  check(): void {
    if (this.waiters.length > 0 && this.isIdle()) for (const resolve of this.waiters.splice(0)) resolve();
  }
}
