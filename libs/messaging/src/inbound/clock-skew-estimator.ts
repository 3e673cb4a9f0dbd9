import type { Call, Log } from '@receipts/kernel';

/** Smaller differences are message latency and are not corrected. */
const toleratedMs = 250;
const loggedFromMs = 1_000;
const windowMs = 60_000;
const sendersMax = 1_000;

interface Seen {
  /** The smallest difference between our clock at arrival and the sender's clock at sending, in this window. */
  min: number;
  /** The same for the previous window. */
  readonly before: number;
  readonly windowEndsAt: number;
  isLogged: boolean;
}

/**
 * Estimates how far senders' clocks differ from ours. A message cannot arrive before it was sent, and some arrive
 * almost immediately, so the smallest observed difference shows how far our clock is ahead. Deadlines are converted with
 * it; otherwise a clock that is 10 s ahead would reject every request.
 */
export class ClockSkewEstimator {
  private readonly seen = new Map<string, Seen>();

  constructor(
    private readonly now: () => number,
    private readonly log: Log,
  ) {}

  /** The call with its times converted to our clock. */
  localCall(sender: string, call: Call): Call {
    const ms = this.aheadMs(sender, call);
    return ms === 0 ? call : { ...call, at: call.at + ms, deadline: call.deadline + ms };
  }

  private aheadMs(sender: string, call: Call): number {
    const now = this.now();
    const difference = now - call.at;
    let seen = this.seen.get(sender);
    if (!seen || now >= seen.windowEndsAt) {
      // Clearing all entries also removes senders that no longer exist.
      if (!seen && this.seen.size >= sendersMax) this.seen.clear();
      const { min: before = Infinity, isLogged = false } = seen ?? {};
      seen = { min: difference, before, windowEndsAt: now + windowMs, isLogged };
      this.seen.set(sender, seen);
    }
    seen.min = Math.min(seen.min, difference);
    const ahead = Math.min(seen.min, seen.before);
    if (Math.abs(ahead) < toleratedMs) return 0;
    if (Math.abs(ahead) >= loggedFromMs && !seen.isLogged) {
      seen.isLogged = true;
      this.log.warn('the clock of a caller differs from ours', { ahead_ms: ahead, call_id: call.id });
    }
    return ahead;
  }
}
