import { withTimeout, type Log } from '@receipts/kernel';
import type { Lease } from '@receipts/storage';
import { routingKeysOf, type SubscriptionRecord } from '../domain/subscription';
import type { SubscriptionDeps } from './subscription-access';

const sweepTimeoutMs = 120_000;

export interface ReopenDeps extends Pick<SubscriptionDeps, 'subscriptions' | 'access'> {
  readonly reopening: Lease;
  readonly onBrokerConnected: (listener: () => void) => () => void;
  readonly log: Log;
}

/** Creates missing queues and users of integrators after each connect, as a broker that was reset has lost them. */
export function reopenSubscriptions(deps: ReopenDeps): { stop(): void } {
  const { subscriptions, access, reopening, onBrokerConnected, log } = deps;
  if (!access) return { stop: () => undefined };
  const stopped = new AbortController();

  const reopen = async (record: SubscriptionRecord, signal: AbortSignal) => {
    const { retailer, name, types } = record;
    if (await access.isOpen(retailer, name)) return;
    await access.open({ ...record, routingKeys: routingKeysOf(types) });
    log.info('recreated the queue of an integrator', { retailer, name });
    // It may have been deleted meanwhile.
    const current = await subscriptions.find(retailer, name, signal);
    if (current?.status !== 'ready') await access.close(retailer, name);
  };
  const sweep = async () => {
    const signal = withTimeout(stopped.signal, sweepTimeoutMs);
    if (!(await reopening.acquire())) return;
    for await (const record of subscriptions.allReady(signal)) await reopen(record, signal);
    await reopening.release();
  };
  const begin = () =>
    void sweep().catch((error: unknown) => {
      if (!stopped.signal.aborted) log.warn('the queues of integrators could not be checked', { error });
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
