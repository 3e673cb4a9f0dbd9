import { filenameMissing, filenameOf, createAttachment as contract } from '@receipts/contracts';
import { isRepetition, requestKeyOf } from '@receipts/storage';
import { ServiceError, unavailable, type Call, type Handler } from '@receipts/kernel';
import { attachmentId, safeContentType } from '../domain/attachment-facts';
import type { NewAttachment } from '../storage/attachments';
import { attachmentDocument } from './store-attachments';
import type { Dependencies } from './dependencies';
import type { StoreOutcome } from './store-packet';

/**
 * One attempt may end with the release of an expired key, and another with a request that has claimed the key since.
 */
const attemptsMax = 3;

/**
 * @returns the id under which the attachment is stored: its own, or that of the first request with its idempotency key
 */
async function keep(deps: Dependencies, added: NewAttachment, call: Call): Promise<StoreOutcome> {
  const { attachments, attachmentRelay } = deps;
  const { id, request } = added;
  const document = attachmentDocument(attachments, added, call, deps.now());
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const outcome = await attachments.insert(document, call);
    if (outcome === 'stored') attachmentRelay.enqueue([{ _id: id, items: document.outbox ?? [] }]);
    // If it exists, the broker has redelivered the message.
    if (outcome !== 'taken') return { id };
    const found = request && (await attachments.findRequested(call.retailer, request, call));
    // Another request has released the key in the meantime.
    if (!found?.request || !request) continue;
    if (isRepetition(request, found.request)) return { id: found._id, replayed: found._id !== id };
    await attachments.releaseRequest(call.retailer, found._id, found.request, call);
  }
  throw new ServiceError(unavailable, { internal: 'its key was taken and released repeatedly' });
}

/** Stores the posted bytes. */
export function createAttachment(deps: Dependencies): Handler<typeof contract> {
  return async (input, call) => {
    const { headers, body, contentType } = input;
    const filename = filenameOf(headers['content-disposition']);
    if (filename === undefined) throw new ServiceError(filenameMissing);
    const added = {
      id: attachmentId(deps.idSecret, call.id),
      filename,
      contentType: safeContentType(contentType),
      bytes: body,
      request: requestKeyOf(contract, input, call, deps.now()),
    };
    const { id, replayed } = await keep(deps, added, call);
    return { body: { id, url: deps.attachments.urlOf(id) }, meta: { id }, ...(replayed && { replayed }) };
  };
}
