import { isDeepStrictEqual } from 'node:util';
import {
  retailerNotFound,
  type reindexReceipts as contract,
  type ReturnedReceipt,
} from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { Turns } from '@receipts/search';
import { searchOfChanged } from './search-of-changed';
import type { Dependencies } from './dependencies';

const countDefault = 500;

/** Recomputes the search documents of some receipts and saves those that differ. */
export function reindexReceipts(deps: Dependencies): Handler<typeof contract> {
  const { documents, vocabulary, retailers, stores } = deps;
  return async ({ params: { id }, body: { after = 0, count = countDefault } }, call) => {
    const retailer = retailers.get(id);
    if (!retailer) throw new ServiceError(retailerNotFound);
    const searchOf = searchOfChanged(stores, retailer);
    const page = await documents.after(id, after, count, call);
    const turns = new Turns();
    const changed = [];
    for (const receipt of page) {
      const returned = JSON.parse(receipt.text) as ReturnedReceipt;
      const search = await searchOf(returned, receipt.text, receipt.store_key);
      if (!isDeepStrictEqual(search, receipt.search)) changed.push({ receipt, search });
      await turns.between();
    }
    await documents.replace(changed, call);
    await vocabulary.learn(
      changed.map(({ search }) => ({ retailer: id, search })),
      call,
    );
    const next = page.length < count ? null : (page.at(-1)?.arrival ?? null);
    return { body: { examined: page.length, changed: changed.length, next } };
  };
}
