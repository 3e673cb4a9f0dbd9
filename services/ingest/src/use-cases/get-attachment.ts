import {
  attachmentDeleted,
  attachmentNotFound,
  findReceiptWithAttachment,
  type getAttachment as contract,
} from '@receipts/contracts';
import { ServiceError, type Call, type Handler } from '@receipts/kernel';
import type { Dependencies } from './dependencies';

/** True if one of the consumer's receipts currently refers to the attachment, according to receipt-store. */
async function isConsumers({ broker }: Dependencies, id: string, call: Call): Promise<boolean> {
  const { body } = await broker.ask(findReceiptWithAttachment, { body: { attachment_id: id } }, call);
  return body.receipt_id !== null;
}

/** Returns the bytes of an attachment. */
export function getAttachment(deps: Dependencies): Handler<typeof contract> {
  return async ({ params }, call) => {
    const attachment = await deps.attachments.read(call.retailer, params.id, call);
    if (!attachment) throw new ServiceError(attachmentNotFound);
    if (call.consumers && !(await isConsumers(deps, params.id, call)))
      throw new ServiceError(attachmentNotFound);
    if (attachment === 'deleted') throw new ServiceError(attachmentDeleted);
    const { bytes, content_type: contentType, filename } = attachment;
    return { body: bytes, meta: { contentType, filename } };
  };
}
