const waitMsMax = 3_600_000;

/**
 * When to give a packet to conversion again, should nobody have said by then what became of it. Each time waits twice as
 * long as the one before, an hour at most, so that a conversion that is behind is not buried.
 */
export function sendAgainAt(now: Date, sends: number, firstWaitMs: number): Date {
  return new Date(now.getTime() + Math.min(firstWaitMs * 2 ** Math.min(sends, 20), waitMsMax));
}
