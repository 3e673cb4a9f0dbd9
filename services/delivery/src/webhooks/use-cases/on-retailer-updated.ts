import type { adminEvents } from '@receipts/contracts';
import { serviceCall, type EventOf } from '@receipts/kernel';
import { databaseTimeout } from '@receipts/storage';
import { currentSettings, disableInvalidFilter } from './disable-endpoint';
import type { WebhookParts } from './webhook-parts';

type Updated = EventOf<typeof adminEvents.retailerUpdated>;

/** Disables the endpoints whose filters a change of the settings has made invalid. */
export function onRetailerUpdated(parts: WebhookParts) {
  return async (events: readonly Updated[]): Promise<void> => {
    const retailers = [...new Set(events.map(({ data }) => data.id))];
    const found = await parts.endpoints.ofRetailers(retailers, databaseTimeout());
    const filtered = found.filter(({ settings }) => settings.enabled && settings.filter !== null);
    for (const retailer of new Set(filtered.map((endpoint) => endpoint.retailer))) {
      const call = serviceCall('delivery', parts.now().getTime(), retailer);
      const settings = await currentSettings(retailer, call, parts);
      if (!settings) continue;
      for (const endpoint of filtered) {
        if (endpoint.retailer === retailer) await disableInvalidFilter(endpoint, settings, parts);
      }
    }
  };
}
