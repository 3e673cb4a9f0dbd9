import { PeriodicTask } from '@receipts/concurrency';
import { serviceCall } from '@receipts/kernel';
import { databaseTimeout, type Lease } from '@receipts/storage';
import type { ModuleDependencies } from '../../module-dependencies';
import type { Webhooks } from '../domain/webhooks';
import type { ErasableEvents } from '../storage/erasable-events';
import type { EventLog } from '../storage/event-log';

export interface EventRetentionDependencies extends Pick<ModuleDependencies, 'retailer' | 'log' | 'now'> {
  readonly eventLog: EventLog;
  readonly erasableEvents: Pick<ErasableEvents, 'forgetRaw'>;
  readonly webhooks: Pick<Webhooks, 'oldestPending' | 'eraseResponses'>;
  readonly lease: Lease;
}

const everyMs = 60 * 60_000;
const dayMs = 24 * 60 * 60_000;
const trimTimeoutMs = 60_000;

/**
 * Erases the events of packets that are no longer kept, and deletes events that exceed their retailer's retention period, except those that are still being delivered.
 * @returns the number of deleted events
 */
export async function deleteOldEvents(deps: Omit<EventRetentionDependencies, 'lease'>): Promise<number> {
  const { eventLog, erasableEvents, webhooks, log, now } = deps;
  let count = 0;
  let retailer = '';
  for (;;) {
    const next = await eventLog.nextRetailer(retailer, databaseTimeout());
    if (next === undefined) return count;
    retailer = next;
    try {
      const call = serviceCall('delivery', now().getTime(), retailer);
      const { event_days: days, retention_days: keptDays } = (await deps.retailer(retailer, call)).settings;
      if (keptDays !== null) {
        const before = new Date(now().getTime() - keptDays * dayMs);
        const ids = await erasableEvents.forgetRaw(retailer, before, databaseTimeout);
        await webhooks.eraseResponses(retailer, ids, databaseTimeout);
      }
      const pending = await webhooks.oldestPending(retailer, databaseTimeout());
      const expired = new Date(now().getTime() - days * dayMs);
      const before = pending && pending < expired ? pending : expired;
      count += await eventLog.trim(retailer, before, AbortSignal.timeout(trimTimeoutMs));
    } catch (error) {
      log.warn('could not delete old events', { retailer, error });
    }
  }
}

/** Runs the deletion hourly, in one process at a time. */
export function eventRetention(deps: EventRetentionDependencies): PeriodicTask {
  return new PeriodicTask({
    everyMs,
    log: deps.log,
    failure: 'could not delete old events',
    async run() {
      if (await deps.lease.acquire()) await deleteOldEvents(deps);
    },
  });
}
