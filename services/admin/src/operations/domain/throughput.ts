/** The work of a process since its start. */
export interface Work {
  readonly done: number;
  readonly failed: number;
}

export interface WorkPoint extends Work {
  /** The start of the interval, epoch milliseconds. */
  readonly at: number;
}

export const intervalMs = 10_000;
const intervalsMax = 180;
/** Processes report every few seconds; one that has been silent for this long has ended. */
const silentMsMax = 10 * 60_000;

/**
 * The throughput of each service in the last half hour, in intervals, from the reports of its processes. Work counts
 * towards the interval in which it was reported.
 */
export class Throughput {
  private readonly last = new Map<string, Work & { readonly at: number }>();
  private readonly points = new Map<string, Map<number, { done: number; failed: number }>>();

  /** @param now epoch milliseconds */
  note(report: { service: string; instance: string; work: Work }, now: number): void {
    const { service, instance, work } = report;
    const before = this.last.get(instance);
    this.last.set(instance, { ...work, at: now });
    // Work done before a process's first report may be of any age, so it is ignored.
    if (!before) return;
    const points = this.points.get(service) ?? new Map<number, { done: number; failed: number }>();
    this.points.set(service, points);
    const at = now - (now % intervalMs);
    const point = points.get(at) ?? { done: 0, failed: 0 };
    point.done += Math.max(0, work.done - before.done);
    point.failed += Math.max(0, work.failed - before.failed);
    points.set(at, point);
    this.forget(now);
  }

  private forget(now: number): void {
    const oldest = now - intervalsMax * intervalMs;
    for (const points of this.points.values())
      for (const at of points.keys()) {
        if (at >= oldest) break;
        points.delete(at);
      }
    for (const [instance, { at }] of this.last) if (now - at > silentMsMax) this.last.delete(instance);
  }

  /** The completed intervals, oldest first, from the first interval with a report; intervals without work are zero. */
  of(service: string, now: number): WorkPoint[] {
    const points = this.points.get(service);
    const current = now - (now % intervalMs);
    const oldest = current - intervalsMax * intervalMs;
    const first = Math.max(oldest, points?.keys().next().value ?? current);
    const found: WorkPoint[] = [];
    for (let at = first; at < current; at += intervalMs) {
      found.push({ at, ...(points?.get(at) ?? { done: 0, failed: 0 }) });
    }
    return found;
  }

  get services(): string[] {
    return [...this.points.keys()].sort();
  }
}
