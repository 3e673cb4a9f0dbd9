import { instanceReportEveryMs, type InstanceReport } from '@receipts/host';
import type { Throughput } from '../domain/throughput';

/** A process that has been silent for this time has probably ended. */
const silentMs = 4 * instanceReportEveryMs;

/** A process of the platform, as last reported. */
export interface Instance extends Omit<InstanceReport, 'stopped'> {
  /** Epoch milliseconds by this process's clock. */
  readonly heard: number;
}

/** The processes of the platform. Each copy of admin gets all reports, so they all have the same list. */
export class Instances {
  readonly #known = new Map<string, Instance>();

  note({ stopped, ...facts }: InstanceReport, now: number): void {
    if (stopped) this.#known.delete(facts.instance);
    else this.#known.set(facts.instance, { ...facts, heard: now });
  }

  /** The running processes, the oldest first. */
  alive(now: number): Instance[] {
    for (const [name, { heard }] of this.#known) if (now - heard > silentMs) this.#known.delete(name);
    return [...this.#known.values()].sort((a, b) => a.started - b.started);
  }
}

export interface HearingDeps {
  readonly instances: Instances;
  readonly throughput: Throughput;
  readonly now: () => Date;
}

export function onInstanceReported({ instances, throughput, now }: HearingDeps) {
  return async (events: readonly { readonly data: InstanceReport }[]): Promise<void> => {
    for (const { data } of events) {
      instances.note(data, now().getTime());
      if (data.work) throughput.note({ ...data, work: data.work }, now().getTime());
    }
  };
}
