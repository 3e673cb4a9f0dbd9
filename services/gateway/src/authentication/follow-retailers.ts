import { adminContracts, adminEvents, type Retailer } from '@receipts/contracts';
import { RecordCache, serviceCall } from '@receipts/kernel';
import { on, type Broker, type Subscription } from '@receipts/messaging';

const timeoutMs = 2_000;

export interface FollowedRetailers {
  readonly subscription: Subscription;
  /** Drops all settings in memory: events may have been lost, so the settings may be outdated. */
  forget(): void;
  readonly originsOf: (retailer: string) => Promise<readonly string[]>;
}

/** The settings of the retailers whose pages send requests. */
export function followRetailers(broker: Pick<Broker, 'ask'>): FollowedRetailers {
  const retailers = new RecordCache<Retailer>(async (id, call) => {
    const { body } = await broker.ask(adminContracts.findRetailer, { body: { id } }, call);
    return body.retailer;
  });
  return {
    subscription: on([adminEvents.retailerUpdated], (events) => retailers.apply(events)),
    forget: () => retailers.clear(),
    originsOf: async (id) => {
      const retailer = await retailers.known(id, serviceCall('gateway', Date.now(), '', timeoutMs));
      return retailer?.settings.cors.origins ?? [];
    },
  };
}
