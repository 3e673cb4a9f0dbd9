import { adminContracts, type Store } from '@receipts/contracts';
import type { Portal } from './open-portal';
import type { SignedIn } from './signed-in';

/** Of more stores, a page offers only the newest. */
const storesMax = 300;

/** The retailer's stores that the user may see, newest first. */
export async function knownStores({ ask }: Portal, { call }: SignedIn): Promise<readonly Store[]> {
  const stores: Store[] = [];
  for (let older: number | undefined; stores.length < storesMax; older = stores.at(-1)?.id) {
    const query = { count: 100, ...(older !== undefined && { older }) };
    const page = (await ask(adminContracts.listStores, { query }, call)).body;
    stores.push(...page.stores);
    if (!page._links.next) break;
  }
  return stores;
}
