import { linksTo } from '@receipts/contracts';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf } from '../../handler-of';
import { readReceipt } from '../../read-receipt';
import type { LinkDependencies } from './open-link';

/** Revokes all links of a receipt and returns new links. */
export function revokeReceiptLinks(deps: LinkDependencies): HandlerOf<'revokeReceiptLinks'> {
  return async ({ params: { id } }, call) => {
    const { retailer } = call;
    await readReceipt({ id }, call, deps);
    const generation = await deps.generations.next(retailer, id, call.id, deadlineSignal(call));
    const token = deps.tokens.seal({ retailer, receiptId: id, generation });
    return { body: { _links: linksTo(deps.publicUrl, token) } };
  };
}
