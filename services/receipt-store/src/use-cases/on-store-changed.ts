import type { adminEvents } from '@receipts/contracts';
import type { EventOf } from '@receipts/kernel';
import type { StoreDirectory } from '../storage/store-directory';

type StoreChanged = EventOf<typeof adminEvents.storeCreated | typeof adminEvents.storeUpdated>;

/** Keeps the copy of the stores current. Every process has its own copy in memory, so every process hears every event. */
export function onStoreChanged(stores: StoreDirectory) {
  return async (events: readonly StoreChanged[]): Promise<void> => {
    await stores.apply(events.map(({ data }) => data));
  };
}
