import { attachmentNotFound, ingestContracts } from '@receipts/contracts';
import { delegatedCall, ServiceError } from '@receipts/kernel';
import type { Endpoint } from '../../endpoint';
import { openLink, type LinkParts } from './open-link';

/** Returns a file that is attached to a receipt. */
export function showReceiptAttachment(parts: LinkParts): Endpoint<'showReceiptAttachment'> {
  return async ({ params }, call) => {
    const { receipt, retailer } = await openLink(params.token, call, parts);
    const { attachments } = receipt;
    const attachment = Object.hasOwn(attachments, params.label) ? attachments[params.label] : undefined;
    if (!attachment) throw new ServiceError(attachmentNotFound);
    const inner = delegatedCall('delivery', { ...call, retailer: retailer.id }, parts.now().getTime());
    return parts.ask(ingestContracts.getAttachment, { params: { id: attachment.id } }, inner);
  };
}
