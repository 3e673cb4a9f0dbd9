/**
 * The platform's time. The clock of a till may be wrong by years, so this clock follows the `Date` header of the
 * platform's responses. Until the first response, it uses the till's clock.
 */
export class ServerClock {
  private known: { readonly serverMs: number; readonly monotonicMs: number } | undefined;

  constructor(
    private readonly monotonicMs: () => number = () => performance.now(),
    private readonly localMs: () => number = () => Date.now(),
  ) {}

  /** The till's own clock, right or wrong, in epoch milliseconds. */
  localNow(): number {
    return this.localMs();
  }

  /** Epoch milliseconds. */
  now(): number {
    const { localMs, monotonicMs } = this;
    return this.known ? this.known.serverMs + monotonicMs() - this.known.monotonicMs : localMs();
  }

  /**
   * @param date the `Date` header of a response
   * @returns the error of this clock in milliseconds
   */
  adjust(date: string | undefined): number {
    const serverMs = date === undefined ? NaN : Date.parse(date);
    if (Number.isNaN(serverMs)) return 0;
    const errorMs = Math.abs(serverMs - this.now());
    this.known = { serverMs, monotonicMs: this.monotonicMs() };
    return errorMs;
  }
}
