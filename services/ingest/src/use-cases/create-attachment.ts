import { filenameMissing, filenameOf, type createAttachment as contract } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { attachmentId, safeContentType } from '../domain/attachment-facts';
import { storeMissing } from './store-attachments';
import type { Dependencies } from './dependencies';

/** Stores the posted bytes. The id is derived from that of the message, so a redelivered message finds the attachment. */
export function createAttachment(deps: Dependencies): Handler<typeof contract> {
  return async ({ headers, body, contentType }, call) => {
    const filename = filenameOf(headers['content-disposition']);
    if (filename === undefined) throw new ServiceError(filenameMissing);
    const id = attachmentId(deps.idSecret, call.id);
    const added = { id, filename, contentType: safeContentType(contentType), bytes: body };
    await storeMissing(deps, call, [added]);
    return { body: { id, url: deps.attachments.urlOf(id) }, meta: { id } };
  };
}
