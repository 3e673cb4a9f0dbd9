import type { getReturnable as contract, ReturnedReceipt } from '@receipts/contracts';
import type { Call, Handler } from '@receipts/kernel';
import { returnableItems } from '../domain/returnable';
import { readableReceipt } from './get-receipt';
import type { Dependencies } from './dependencies';

/** What can still be returned of a sale. */
export async function returnableOf(
  receipt: ReturnedReceipt,
  { related }: Pick<Dependencies, 'related'>,
  call: Call,
) {
  const returns = await related.returnsOf(call.retailer, receipt, call);
  return {
    receipt_id: receipt.id,
    currency: receipt.l10n.currency,
    items: [...returnableItems(receipt, returns)],
  };
}

/** Returns the returnable items of a receipt. */
export function getReturnable(deps: Dependencies): Handler<typeof contract> {
  return async ({ params, query }, call) => {
    const { text } = await readableReceipt(deps, params.id, query.consumer, call);
    const receipt = JSON.parse(text.toString()) as ReturnedReceipt;
    return { body: await returnableOf(receipt, deps, call) };
  };
}
