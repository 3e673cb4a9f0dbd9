import type { adminEvents } from '@receipts/contracts';
import { serviceCall, type EventOf } from '@receipts/kernel';
import { databaseTimeout } from '@receipts/storage';
import { currentSettings, disableInvalidFilter } from './disable-endpoint';
import type { WebhookDependencies } from './webhook-dependencies';

type Updated = EventOf<typeof adminEvents.retailerUpdated>;

/** Disables the endpoints whose filters a change of the settings has made invalid. */
export function onRetailerUpdated(deps: WebhookDependencies) {
  return async (events: readonly Updated[]): Promise<void> => {
    const retailers = [...new Set(events.map(({ data }) => data.id))];
    const found = await deps.endpoints.ofRetailers(retailers, databaseTimeout());
    const filtered = found.filter(({ settings }) => settings.enabled && settings.filter !== null);
    for (const retailer of new Set(filtered.map((endpoint) => endpoint.retailer))) {
      const call = serviceCall('delivery', deps.now().getTime(), retailer);
      const settings = await currentSettings(retailer, call, deps);
      if (!settings) continue;
      for (const endpoint of filtered) {
        if (endpoint.retailer === retailer) await disableInvalidFilter(endpoint, settings, deps);
      }
    }
  };
}
