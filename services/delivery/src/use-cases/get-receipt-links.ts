import { linksTo, type deliveryContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { readReceipt } from './find-receipt';
import type { LinkParts } from './open-link';

/** The links that are good now, for whoever may read the receipt. */
export function getReceiptLinks(parts: LinkParts): Handler<(typeof deliveryContracts)['getReceiptLinks']> {
  return async ({ params: { id }, query: { consumer } }, call) => {
    const { retailer } = call;
    await readReceipt({ id, consumer }, call, parts);
    const generation = await parts.generations.current(retailer, id, deadlineSignal(call));
    const token = parts.tokens.seal({ retailer, receiptId: id, generation });
    return { body: { _links: linksTo(parts.publicUrl, token) } };
  };
}
