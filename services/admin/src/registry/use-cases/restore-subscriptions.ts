import { databaseTimeout } from '@receipts/storage';
import { afterEachConnect } from '../../broker/after-each-connect';
import { routingKeysOf, type SubscriptionRecord } from '../domain/subscription';
import type { Registry } from '../open-registry';

/**
 * Recreates missing queues and users of integrators after each connect, because a broker that was reset has lost them.
 */
export function restoreSubscriptions({ broker, subscriptions, access, restoreLease, log }: Registry): {
  stop(): unknown;
} {
  if (!access) return { stop: () => undefined };

  const reopen = async (record: SubscriptionRecord) => {
    const { retailer, name, types } = record;
    if (await access.isOpen(retailer, name)) return;
    await access.open({ ...record, routingKeys: routingKeysOf(types) });
    log.info("an integrator's queue was recreated", { retailer, name });
    // The subscription may have been deleted meanwhile.
    const current = await subscriptions.find(retailer, name, databaseTimeout());
    if (current?.status !== 'ready') await access.close(retailer, name);
  };
  return afterEachConnect({
    ...{ broker, log, failure: 'the queues of integrators could not be restored' },
    run: async (signal) => {
      try {
        for await (const record of subscriptions.allReady()) {
          // Renewed for each record, because a run may take longer than the lease lasts.
          if (signal.aborted || !(await restoreLease.acquire())) return false;
          await reopen(record);
        }
        return true;
      } finally {
        await restoreLease.release();
      }
    },
  });
}
