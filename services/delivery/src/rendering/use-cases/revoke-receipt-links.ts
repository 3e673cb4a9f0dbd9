import { linksTo } from '@receipts/contracts';
import { deadlineSignal } from '@receipts/storage';
import type { Endpoint } from '../../endpoint';
import { readReceipt } from '../../read-receipt';
import type { LinkParts } from './open-link';

/** Revokes all links of a receipt and returns new links. */
export function revokeReceiptLinks(parts: LinkParts): Endpoint<'revokeReceiptLinks'> {
  return async ({ params: { id } }, call) => {
    const { retailer } = call;
    await readReceipt({ id }, call, parts);
    const generation = await parts.generations.next(retailer, id, call.id, deadlineSignal(call));
    const token = parts.tokens.seal({ retailer, receiptId: id, generation });
    return { body: { _links: linksTo(parts.publicUrl, token) } };
  };
}
