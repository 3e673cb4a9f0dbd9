import { receiptStoreContracts, type ReceiptFormat } from '@receipts/contracts';
import { delegatedCall } from '@receipts/kernel';
import type { HandlerOf } from '../../handler-of';
import type { ViewRecorder } from '../view-recorder';
import { openLink, type LinkDependencies } from './open-link';

/** Returns a receipt as a file to anyone who has the link to its page. */
export function showReceiptFile(
  format: ReceiptFormat,
  deps: LinkDependencies & { readonly viewRecorder: Pick<ViewRecorder, 'note'> },
): HandlerOf<'showReceiptJson'> {
  return async ({ params: { token }, headers }, call) => {
    const { receipt, retailer } = await openLink(token, call, deps);
    const inner = delegatedCall('delivery', { ...call, retailer: retailer.id }, deps.now().getTime());
    const input = { params: { id: receipt.id }, body: { format } };
    const { body, meta } = await deps.ask(receiptStoreContracts.getReceiptFile, input, inner);
    deps.viewRecorder.note({ retailer: retailer.id, receipt, headers }, call);
    return { body, meta };
  };
}
