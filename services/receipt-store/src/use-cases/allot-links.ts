import { linkExpiryMs, linksTo, type allotLinks as contract } from '@receipts/contracts';
import { timestampOf, type Handler } from '@receipts/kernel';
import { storeKey } from '../domain/store-reference';
import type { Dependencies } from './dependencies';
import { checkStore, visibleTo } from './visible-to';

/**
 * Reserves ids for future receipts, and returns their links. Nothing is stored: the link itself proves that it was
 * issued, and the receipt that uses it gets the reserved id.
 */
export function allotLinks(deps: Dependencies): Handler<typeof contract> {
  const { ids, links, tokens, publicUrl, storing, findRetailer } = deps;
  return async ({ body }, call) => {
    const { count = 1, store_reference: reference } = body ?? {};
    const { retailer } = call;
    if (reference !== undefined) {
      const store = await storing.stores.findStore(reference, await findRetailer(call), call);
      checkStore(storeKey(reference, store), visibleTo(deps, call));
    }
    const allotted = Array.from({ length: count }, (_, index) => {
      const receiptId = ids.allotFor(call, index);
      return {
        link: links.seal(receiptId, retailer),
        webview: linksTo(publicUrl, tokens.seal({ retailer, receiptId, generation: 0 })).webview,
        expires_timestamp: timestampOf(new Date(linkExpiryMs(receiptId))),
      };
    });
    return { body: { links: allotted } };
  };
}
