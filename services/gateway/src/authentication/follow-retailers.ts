import { retailersSource, type Retailer } from '@receipts/contracts';
import { Copy } from '@receipts/host';
import { serviceCall, type Log } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';

const timeoutMs = 2_000;

export interface FollowedRetailers {
  readonly copy: Copy<Retailer>;
  readonly originsOf: (retailer: string) => Promise<readonly string[]>;
}

/** The settings of the retailers whose pages send requests. */
export function followRetailers(broker: Pick<Broker, 'ask'>, log: Log): FollowedRetailers {
  const ask: Broker['ask'] = (contract, input, call) => broker.ask(contract, input, call);
  const copy = new Copy<Retailer>({ log, ...retailersSource(ask, 'gateway') });
  return {
    copy,
    originsOf: async (id) => {
      const retailer = await copy.find(id, serviceCall('gateway', Date.now(), '', timeoutMs));
      return retailer?.settings.cors.origins ?? [];
    },
  };
}
