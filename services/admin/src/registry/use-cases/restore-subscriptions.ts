import { withTimeout } from '@receipts/kernel';
import type { Registry } from '../open-registry';
import { routingKeysOf, type SubscriptionRecord } from '../domain/subscription';

const sweepTimeoutMs = 120_000;

/**
 * Recreates missing queues and users of integrators after each connect, because a broker that was reset has lost them.
 */
export function restoreSubscriptions(deps: Registry): { stop(): void } {
  const { subscriptions, access, restoreLease, onBrokerConnected, log } = deps;
  if (!access) return { stop: () => undefined };
  const stopped = new AbortController();

  const reopen = async (record: SubscriptionRecord, signal: AbortSignal) => {
    const { retailer, name, types } = record;
    if (await access.isOpen(retailer, name)) return;
    await access.open({ ...record, routingKeys: routingKeysOf(types) });
    log.info("an integrator's queue was recreated", { retailer, name });
    // The subscription may have been deleted meanwhile.
    const current = await subscriptions.find(retailer, name, signal);
    if (current?.status !== 'ready') await access.close(retailer, name);
  };
  const sweep = async () => {
    const signal = withTimeout(stopped.signal, sweepTimeoutMs);
    if (!(await restoreLease.acquire())) return;
    for await (const record of subscriptions.allReady(signal)) await reopen(record, signal);
    await restoreLease.release();
  };
  const begin = () =>
    void sweep().catch((error: unknown) => {
      if (!stopped.signal.aborted) log.warn('the queues of integrators could not be restored', { error });
    });
  const endListening = onBrokerConnected(begin);
  begin();
  return {
    stop() {
      stopped.abort();
      endListening();
    },
  };
}
