import { serviceCall, type SendRequest } from '@receipts/kernel';
import type { z } from 'zod';
import { listRetailers } from './admin/list-retailers';
import { changesMax, listChanges } from './receipt-store/list-changes';

const retailersAtOnce = 500;

/**
 * Lists all retailers, and the receipts of each that arrived or changed, so that a service whose data is derived from
 * receipts can find the changes that it has missed.
 * @param service the name of the calling service
 */
function sourceFor(ask: SendRequest, service: string) {
  const callFor = (retailer?: string) => serviceCall(service, Date.now(), retailer);
  return {
    async *retailers(): AsyncGenerator<readonly string[]> {
      for (let after: string | null | undefined; after !== null;) {
        const body = { count: retailersAtOnce, ...(after !== undefined && { after }) };
        const page: z.output<typeof listRetailers.output> = (await ask(listRetailers, { body }, callFor()))
          .body;
        yield page.retailers.map(({ id }) => id);
        after = page.next;
      }
    },
    async read(retailer: string, cursor: { readonly after: string | null; readonly arrived: number }) {
      const body = { ...cursor, count: changesMax };
      return (await ask(listChanges, { body }, callFor(retailer))).body;
    },
  };
}

/**
 * `uses` declares the queries, because the generated list of dependencies between services cannot see calls made here.
 */
export const changesSource = Object.assign(sourceFor, { uses: [listRetailers, listChanges] });
