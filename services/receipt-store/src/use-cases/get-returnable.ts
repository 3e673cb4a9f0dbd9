import type { getReturnable as contract, ReturnedReceipt } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { returnableItems } from '../domain/returnable';
import { readableReceipt } from './get-receipt';
import type { Parts } from './parts';

/** Returns the returnable items of a receipt. */
export function getReturnable(parts: Parts): Handler<typeof contract> {
  return async ({ params, query }, call) => {
    const { text } = await readableReceipt(parts, params.id, query.consumer, call);
    const receipt = JSON.parse(text.toString()) as ReturnedReceipt;
    const returns = await parts.related.returnsOf(call.retailer, receipt, call);
    return {
      body: {
        receipt_id: receipt.id,
        currency: receipt.l10n.currency,
        items: [...returnableItems(receipt, returns)],
      },
    };
  };
}
