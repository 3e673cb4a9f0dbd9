import { adminContracts, type Retailer } from '@receipts/contracts';
import { SingleFlight } from '@receipts/concurrency';
import { delegatedCall, ServiceError, unavailable, type Call } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import type { RetailerDirectory } from '../storage/directories';

export interface FindRetailerParts {
  readonly retailers: RetailerDirectory;
  readonly ask: Broker['ask'];
  readonly now: () => Date;
}

/** Returns the retailer of a call. */
export type FindRetailer = (call: Call) => Promise<Retailer>;

/**
 * The retailer comes from the local copy, or from admin if the retailer is too new to be in the copy. The returned
 * function throws ServiceError 503 if admin does not know the retailer either: it must exist, because its credential
 * was accepted.
 */
export function findRetailer({ retailers, ask, now }: FindRetailerParts): FindRetailer {
  const requests = new SingleFlight<Retailer>();
  const askAdmin = async (call: Call): Promise<Retailer> => {
    const body = { id: call.retailer };
    const inner = delegatedCall('receipt-store', call, now().getTime());
    const { retailer } = (await ask(adminContracts.findRetailer, { body }, inner)).body;
    if (!retailer) throw new ServiceError(unavailable, { internal: 'the retailer is unknown' });
    await retailers.apply([retailer]);
    return retailer;
  };
  return async (call) => {
    const { retailer } = call;
    return retailers.get(retailer) ?? requests.run(retailer, () => askAdmin(call), call);
  };
}
