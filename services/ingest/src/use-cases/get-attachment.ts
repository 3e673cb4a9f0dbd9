import { attachmentNotFound, getReceipt, type getAttachment as contract } from '@receipts/contracts';
import { ServiceError, type Call, type Handler } from '@receipts/kernel';
import type { Parts } from './parts';

/** An attachment may belong to many receipts; a consumer's is looked for among the latest of them. */
const linkedReceiptsMax = 50;

/** True when one of the receipts that link to it is the consumer's: the owner of receipts decides, on what is so now. */
async function isConsumers(parts: Parts, id: string, call: Call): Promise<boolean> {
  const receipts = await parts.attachments.linkedReceipts(call.retailer, id, linkedReceiptsMax, call);
  const isReadable = async (receipt: string): Promise<boolean> => {
    try {
      await parts.broker.ask(getReceipt, { params: { id: receipt }, query: {} }, call);
      return true;
    } catch (error) {
      if (error instanceof ServiceError && error.status < 500) return false;
      throw error;
    }
  };
  return (await Promise.all(receipts.map(isReadable))).includes(true);
}

/** The bytes of an attachment. */
export function getAttachment(parts: Parts): Handler<typeof contract> {
  return async ({ params }, call) => {
    const attachment = await parts.attachments.read(call.retailer, params.id, call);
    if (!attachment) throw new ServiceError(attachmentNotFound);
    if (call.consumers && !(await isConsumers(parts, params.id, call)))
      throw new ServiceError(attachmentNotFound);
    const { bytes, content_type: contentType, filename } = attachment;
    return { body: bytes, meta: { contentType, filename } };
  };
}
