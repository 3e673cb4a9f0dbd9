import {
  attachmentTooLarge,
  filenameMissing,
  filenameOf,
  type createAttachment as contract,
} from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { randomAttachmentId, safeContentType } from '../domain/attachment-facts';
import { attachmentDocument } from './keep-attachments';
import type { Parts } from './parts';

/** One document of the database holds an attachment; the gateway's limit is lower. */
const attachmentBytesMax = 15 * 1024 * 1024;

/** Keeps the bytes that were posted. */
export function createAttachment(parts: Parts): Handler<typeof contract> {
  const { attachments, attachmentRelay } = parts;
  return async ({ headers, body, contentType }, call) => {
    const filename = filenameOf(headers['content-disposition']);
    if (filename === undefined) throw new ServiceError(filenameMissing);
    if (body.length > attachmentBytesMax) throw new ServiceError(attachmentTooLarge);
    const now = parts.now();
    const id = randomAttachmentId();
    const added = { id, filename, contentType: safeContentType(contentType), bytes: body };
    const document = attachmentDocument(attachments, added, call, now);
    await attachments.insert(document, call);
    attachmentRelay.nudge([{ _id: id, items: document.outbox ?? [] }]);
    return { body: { id, url: attachments.urlOf(id) }, meta: { id } };
  };
}
