import { attachmentNotFound, ingestContracts } from '@receipts/contracts';
import { delegatedCall, ServiceError } from '@receipts/kernel';
import type { HandlerOf } from '../../handler-of';
import { openLink, type LinkDependencies } from './open-link';

/** Returns a file that is attached to a receipt. */
export function showReceiptAttachment(deps: LinkDependencies): HandlerOf<'showReceiptAttachment'> {
  return async ({ params }, call) => {
    const { receipt, retailer } = await openLink(params.token, call, deps);
    const { attachments } = receipt;
    const attachment = Object.hasOwn(attachments, params.label) ? attachments[params.label] : undefined;
    if (!attachment) throw new ServiceError(attachmentNotFound);
    const inner = delegatedCall('delivery', { ...call, retailer: retailer.id }, deps.now().getTime());
    return deps.ask(ingestContracts.getAttachment, { params: { id: attachment.id } }, inner);
  };
}
