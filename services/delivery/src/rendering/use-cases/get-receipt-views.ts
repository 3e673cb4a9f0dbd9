import { timestampOf } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf } from '../../handler-of';
import type { ReceiptViews } from '../storage/receipt-views';

/** Returns how often a receipt was viewed. */
export function getReceiptViews({ views }: { readonly views: ReceiptViews }): HandlerOf<'getReceiptViews'> {
  return async ({ params: { id } }, call) => {
    const found = await views.find(call.retailer, id, deadlineSignal(call));
    return {
      body: {
        persons: found?.person ?? 0,
        last_timestamp: found && found.person > 0 ? timestampOf(found.viewedAt) : null,
      },
    };
  };
}
