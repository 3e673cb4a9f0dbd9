import { ownCall, type Call } from '@receipts/kernel';
import type { z } from 'zod';
import { listRetailers } from './admin/list-retailers';
import { changesMax, listChanges } from './receipt-store/list-changes';

/** Asks owners as the broker does. */
interface Ask {
  (
    contract: typeof listRetailers,
    input: { body: z.input<typeof listRetailers.body> },
    call: Call,
  ): Promise<{ body: z.output<typeof listRetailers.output> }>;
  (
    contract: typeof listChanges,
    input: { body: z.input<typeof listChanges.body> },
    call: Call,
  ): Promise<{ body: z.output<typeof listChanges.output> }>;
}

const askTimeoutMs = 5_000;
const retailersAtOnce = 500;

/**
 * Where whoever derives something from receipts finds what it has missed: all retailers, and what arrived or changed with each.
 * @param service asks in its own name
 */
function sourceFor(ask: Ask, service: string) {
  const callFor = (retailer?: string) => ownCall(service, Date.now(), askTimeoutMs, retailer);
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
    async read(retailer: string, place: { readonly after: string | null; readonly arrived: number }) {
      const body = { ...place, count: changesMax };
      return (await ask(listChanges, { body }, callFor(retailer))).body;
    },
  };
}

/** Says what it asks for, as whoever draws up who asks whom cannot see it. */
export const changesSource = Object.assign(sourceFor, { asks: [listRetailers, listChanges] });
