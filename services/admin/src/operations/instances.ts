import { instanceReportEveryMs, type InstanceReport } from '@receipts/host';

/** A process that has been silent for this long has probably ended. */
const silentMs = 4 * instanceReportEveryMs;

/** A process of the platform, as last reported. */
export interface Instance extends Omit<InstanceReport, 'stopped'> {
  /** Epoch milliseconds by this process's clock. */
  readonly lastSeen: number;
}

/** The processes of the platform. Each process of admin receives all reports, so they all have the same list. */
export class Instances {
  private readonly known = new Map<string, Instance>();

  note({ stopped, ...facts }: InstanceReport, now: number): void {
    if (stopped) this.known.delete(facts.instance);
    else this.known.set(facts.instance, { ...facts, lastSeen: now });
  }

  /** The running processes, oldest first. */
  alive(now: number): Instance[] {
    for (const [name, { lastSeen }] of this.known) if (now - lastSeen > silentMs) this.known.delete(name);
    return [...this.known.values()].sort((a, b) => a.started - b.started);
  }
}
