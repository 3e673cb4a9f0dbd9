import { randomUUID } from 'node:crypto';
import { defineEvent, newId, printEvent, type PrintedEvent } from '@receipts/kernel';
import { z } from 'zod';
import type { Logger } from './logger';

/**
 * What every process of the platform says of itself now and then, so that one look at the status shows them all. It is of no
 * retailer, and whoever misses one hears the next.
 */
export const instanceReported = defineEvent({
  type: 'instance.reported',
  owner: 'platform',
  collection: 'instances',
  audience: 'internal',
  summary: 'A process is there',
  description: 'Said every few seconds by every process, and once more when it stops.',
  data: z.object({
    service: z.string(),
    /** Names the process, from its start to its end. */
    instance: z.string(),
    version: z.string(),
    /** Epoch milliseconds. */
    started: z.int(),
    loopLagMs: z.number(),
    stopped: z.boolean(),
    /** What it has worked on since it started, and how much of that was its own fault; absent in earlier versions. */
    work: z.object({ done: z.int(), failed: z.int() }).optional(),
    outbox: z.array(z.object({ collection: z.string(), documents: z.int(), oldestAgeMs: z.number() })),
  }),
});
export type InstanceReport = z.output<typeof instanceReported.data>;

const serverFault = 500;

/** Counts what a process answers. */
export class WorkTally {
  done = 0;
  failed = 0;

  /** @param status of the answer, as HTTP has them */
  note(status: number): void {
    this.done++;
    if (status >= serverFault) this.failed++;
  }
}

/** How often a process reports, in milliseconds. */
export const instanceReportEveryMs = 5_000;

export interface InstanceReporting {
  readonly service: string;
  readonly version: string;
  readonly publish: (events: readonly PrintedEvent[]) => Promise<unknown>;
  readonly loopLagMs: () => number;
  readonly work: Readonly<WorkTally>;
  /** What waits to be published, by collection. */
  readonly outbox?: () => Promise<InstanceReport['outbox']>;
  readonly log: Pick<Logger, 'warn'>;
}

/** Reports this process until it is stopped. What cannot be told now is told the next time. */
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
    await publish([printEvent(instanceReported, { subject: instance, sequence, data: facts }, origin)]);
  };
  const tell = (stopped: boolean) =>
    report(stopped).catch((error: unknown) => log.warn('this process could not report itself', { error }));
  const timer = setInterval(() => void tell(false), instanceReportEveryMs).unref();
  void tell(false);
  return {
    async stop() {
      clearInterval(timer);
      await tell(true);
    },
  };
}
