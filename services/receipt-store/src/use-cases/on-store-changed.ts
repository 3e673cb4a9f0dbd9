import type { adminEvents } from '@receipts/contracts';
import type { EventOf } from '@receipts/kernel';
import type { StoreDirectory } from '../storage/directories';

type StoreChanged = EventOf<typeof adminEvents.storeCreated | typeof adminEvents.storeUpdated>;

/** Updates the copy of the stores. Every process keeps it in memory, so every process gets all these events. */
export function onStoreChanged(stores: StoreDirectory) {
  return async (events: readonly StoreChanged[]): Promise<void> => {
    await stores.apply(events.map(({ data }) => data));
  };
}
