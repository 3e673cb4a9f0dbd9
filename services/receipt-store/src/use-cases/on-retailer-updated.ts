import type { Retailer } from '@receipts/contracts';
import type { CloudEvent } from '@receipts/kernel';
import type { RetailerDirectory } from '../storage/retailer-directory';

export const retailerEventTypes = ['retailer.updated'] as const;

/** Keeps the copy of the retailers and their settings current. */
export function onRetailerUpdated(retailers: RetailerDirectory) {
  return async (events: readonly CloudEvent[]): Promise<void> => {
    await retailers.apply(events.map(({ data }) => data as Retailer));
  };
}
