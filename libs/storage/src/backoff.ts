import { backoffMs } from '@receipts/concurrency';

const firstMs = 1_000;
const maxMs = 60_000;
/** If this many keys fail, the cause is probably common to them, such as the broker, and the failures are forgotten. */
const keysMax = 2_000;

/** Delays the next attempt of failed work: 1 s after the first failure, doubled after each further failure. */
export class Backoff {
  private readonly failed = new Map<string, { readonly failures: number; readonly until: number }>();

  constructor(private readonly now: () => number) {}

  isDue(key: string): boolean {
    return (this.failed.get(key)?.until ?? 0) <= this.now();
  }

  fail(key: string): void {
    if (this.failed.size >= keysMax) this.failed.clear();
    const failures = this.failed.get(key)?.failures ?? 0;
    const until = this.now() + backoffMs(failures, firstMs, maxMs);
    this.failed.set(key, { failures: failures + 1, until });
  }

  succeed(key: string): void {
    this.failed.delete(key);
  }
}
