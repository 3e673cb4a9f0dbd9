import { adminContracts, type Store, type StoreNames } from '@receipts/contracts';
import type { Call } from '@receipts/kernel';
import type { Asking } from './notified-users';

export type KnownStore = Pick<Store, 'reference' | 'external_reference' | 'name' | 'timezone'>;

const pageCount = 100;

/** The stores of the retailer that the call may see. */
export async function knownStores(call: Call, { ask }: Asking): Promise<readonly KnownStore[]> {
  const stores: Store[] = [];
  for (;;) {
    const older = stores.at(-1)?.id;
    const query = { count: pageCount, ...(older !== undefined && { older }) };
    const page = (await ask(adminContracts.listStores, { query }, call)).body;
    stores.push(...page.stores);
    if (!page._links.next || page.stores.length === 0) return stores;
  }
}

/** The stores by their names. */
export const namesOf = (stores: readonly KnownStore[]): StoreNames<KnownStore> => ({
  byReference: (reference) => stores.find((store) => store.reference === reference),
  byExternalReference: (external) => stores.find((store) => store.external_reference === external),
});
