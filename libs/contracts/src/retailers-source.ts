import { delegatedCall, serviceCall, type SendRequest, type Call } from '@receipts/kernel';
import { findRetailer } from './admin/find-retailer';
import { listRetailers } from './admin/list-retailers';
import type { Retailer } from './admin/retailer';
import { retailerUpdated } from './admin/retailer-updated';
import { snapshotCountMax } from './admin/snapshot';

/**
 * Where a service gets its copy of the retailers and their settings.
 * @param service the name of the calling service
 */
function sourceFor(ask: SendRequest, service: string) {
  return {
    name: 'retailers',
    events: [retailerUpdated],
    keyOf: ({ id }: Retailer) => id,
    async list(after: string | undefined) {
      const body = { count: snapshotCountMax, ...(after !== undefined && { after }) };
      const { retailers, next } = (await ask(listRetailers, { body }, serviceCall(service, Date.now()))).body;
      return { records: retailers, next };
    },
    async request(id: string, call: Call) {
      const { body } = await ask(findRetailer, { body: { id } }, delegatedCall(service, call, Date.now()));
      return body.retailer;
    },
  };
}

/**
 * `uses` declares the contracts, because the generated list of dependencies between services cannot see that they are used
 * here.
 */
export const retailersSource = Object.assign(sourceFor, {
  uses: [listRetailers, findRetailer, retailerUpdated],
});
