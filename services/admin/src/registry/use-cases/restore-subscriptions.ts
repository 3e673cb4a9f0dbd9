import { databaseTimeout } from '@receipts/storage';
import type { Background } from '@receipts/host/open-service';
import { afterEachConnect } from '../../broker/after-each-connect';
import { routingKeysOf, type SubscriptionRecord } from '../domain/subscription';
import type { Registry } from '../open-registry';

/**
 * Recreates missing queues and users of integrators after each connect, because a broker that was reset has lost them.
 */
export function restoreSubscriptions(registry: Registry): Background {
  const { subscriptions, access, restoreLease, log } = registry;
  if (!access) return { stop: () => undefined };

  const open = (record: SubscriptionRecord) =>
    access.open({ ...record, routingKeys: routingKeysOf(record.types) });
  /** @returns false if the subscription was deleted or created again meanwhile, which the next run checks */
  const reopen = async (record: SubscriptionRecord): Promise<boolean> => {
    const { retailer, name, passwordHash } = record;
    if (await access.isOpen(retailer, name)) return true;
    await open(record);
    log.info("an integrator's queue was recreated", { retailer, name });
    const current = await subscriptions.find(retailer, name, databaseTimeout());
    if (current?.status === 'ready' && current.passwordHash === passwordHash) return true;
    await access.close(retailer, name);
    if (current?.status === 'ready') await open(current);
    return false;
  };
  return afterEachConnect({
    log,
    failure: 'the queues of integrators could not be restored',
    run: async (signal) => {
      const errors: unknown[] = [];
      let isDone = true;
      await access.openDeadLetters();
      try {
        for await (const record of subscriptions.allReady()) {
          // Renewed for each record, because a run may take longer than the lease lasts.
          if (signal.aborted || !(await restoreLease.acquire())) return false;
          // One queue that cannot be restored does not hold up the others.
          const isOpen = await reopen(record).catch((error: unknown) => void errors.push(error));
          isDone &&= isOpen === true;
        }
        if (errors.length > 0) throw errors[0];
        return isDone;
      } finally {
        await restoreLease.release();
      }
    },
  });
}
