import { randomUUID } from 'node:crypto';
import { PeriodicTask } from '@receipts/concurrency';
import { defineEvent, newId, serializeEvent, type Log, type SerializedEvent } from '@receipts/kernel';
import { z } from 'zod';

/**
 * The periodic report of every process, from which the status of the platform is compiled. It belongs to no retailer.
 * A lost report does no harm, because the next report replaces it.
 */
export const instanceReported = defineEvent({
  type: 'instance.reported',
  owner: 'platform',
  collection: 'instances',
  audience: 'internal',
  summary: 'A process is running',
  description: 'Published by every process every 5 seconds, and once more when it stops.',
  data: z.object({
    service: z.string(),
    /** Identifies the process for its whole lifetime. */
    instance: z.string(),
    version: z.string(),
    /** Epoch milliseconds. */
    started: z.int(),
    loopLagMs: z.number(),
    stopped: z.boolean(),
    /** Work items since the start, and the number of items that failed because of the process itself. */
    work: z.object({ done: z.int(), failed: z.int() }),
    outbox: z.array(z.object({ collection: z.string(), documents: z.int(), oldestAgeMs: z.number() })),
  }),
});
export type InstanceReport = z.output<typeof instanceReported.data>;

const serverFault = 500;

/** Counts the items that a process has handled. */
export class WorkTally {
  done = 0;
  failed = 0;

  /** @param status the HTTP status of the reply */
  note(status: number): void {
    this.done++;
    if (status >= serverFault) this.failed++;
  }
}

/** The interval of the reports in milliseconds. */
export const instanceReportEveryMs = 5_000;

export interface InstanceReporting {
  readonly service: string;
  readonly version: string;
  readonly publish: (events: readonly SerializedEvent[]) => Promise<unknown>;
  readonly loopLagMs: () => number;
  readonly work: Readonly<WorkTally>;
  /** The unpublished events, by collection. */
  readonly outbox?: (() => Promise<InstanceReport['outbox']>) | undefined;
  readonly log: Pick<Log, 'warn'>;
}

/** Reports this process until it is stopped. A failed report is not retried, because another report follows. */
export function reportInstance(options: InstanceReporting): { stop(): Promise<void> } {
  const { service, version, publish, loopLagMs, work, outbox = () => Promise.resolve([]), log } = options;
  const instance = randomUUID();
  const started = Date.now();
  let sequence = 0;
  const report = async (stopped: boolean) => {
    const id = newId();
    const facts = {
      service,
      instance,
      version,
      started,
      loopLagMs: loopLagMs(),
      stopped,
      work: { done: work.done, failed: work.failed },
      outbox: stopped ? [] : await outbox(),
    };
    sequence++;
    const origin = { id, at: new Date(), retailer: '', requestId: id };
    await publish([serializeEvent(instanceReported, { subject: instance, sequence, data: facts }, origin)]);
  };
  const failure = 'this process could not report its state';
  const task = new PeriodicTask({ everyMs: instanceReportEveryMs, log, failure, run: () => report(false) });
  task.start();
  void task.attempt();
  return {
    async stop() {
      // Not awaited: the broker may not confirm the report in progress in time.
      void task.stop();
      await report(true).catch((error: unknown) => log.warn(failure, { error }));
    },
  };
}
