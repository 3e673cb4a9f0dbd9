import type { StoreRecord } from '@receipts/contracts';
import type { CloudEvent } from '@receipts/kernel';
import type { StoreDirectory } from '../storage/store-directory';

export const storeEventTypes = ['store.created', 'store.updated'] as const;

/** Keeps the copy of the stores current. Every process has its own copy in memory, so every process hears every event. */
export function onStoreChanged(stores: StoreDirectory) {
  return async (events: readonly CloudEvent[]): Promise<void> => {
    await stores.apply(events.map(({ data }) => data as StoreRecord));
  };
}
