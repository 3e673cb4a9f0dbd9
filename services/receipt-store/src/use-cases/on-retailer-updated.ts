import type { adminEvents } from '@receipts/contracts';
import type { EventOf } from '@receipts/kernel';
import type { RetailerDirectory } from '../storage/directories';

/** Updates the copy of retailers and their settings. */
export function onRetailerUpdated(retailers: RetailerDirectory) {
  return async (events: readonly EventOf<typeof adminEvents.retailerUpdated>[]): Promise<void> => {
    await retailers.apply(events.map(({ data }) => data));
  };
}
