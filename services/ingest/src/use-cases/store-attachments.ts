import {
  attachmentCreated,
  decodeBase64,
  filenameOf,
  type storeAttachments as contract,
  unknownAttachment,
  type AttachmentView,
  type PostedAttachment,
} from '@receipts/contracts';
import {
  eventOf,
  schemaValidationFailed,
  ServiceError,
  wording,
  type Call,
  type Handler,
} from '@receipts/kernel';
import { outboxItem } from '@receipts/storage';
import { attachmentId, safeContentType } from '../domain/attachment-facts';
import {
  newAttachmentDocument,
  type AttachmentDocument,
  type Attachments,
  type NewAttachment,
} from '../storage/attachments';
import type { Dependencies } from './dependencies';

function attachmentDocument(
  attachments: Pick<Attachments, 'viewOf'>,
  added: NewAttachment,
  call: Call,
  now: Date,
): AttachmentDocument {
  const document = newAttachmentDocument(call, added, now);
  const event = eventOf(
    attachmentCreated,
    { subject: added.id, sequence: 1, data: attachments.viewOf(document) },
    call,
    now,
  );
  return { ...document, outbox: [outboxItem(event)] };
}

type InlineAttachment = Extract<PostedAttachment, { readonly data: string }>;

function inlineAttachment(
  secret: string,
  owner: string,
  label: string,
  posted: InlineAttachment,
): NewAttachment {
  const bytes = decodeBase64(posted.data);
  if (!bytes) {
    const path = `/attachments/${label}/data`;
    throw new ServiceError(schemaValidationFailed, {
      errors: [{ path, code: 'invalid_format', message: wording.base64 }],
    });
  }
  return {
    id: attachmentId(secret, owner, label),
    filename: filenameOf(posted.content_disposition) ?? label,
    contentType: safeContentType(posted.content_type),
    bytes,
  };
}

/** Stores the attachments that do not exist yet; a retry finds them. */
export async function storeMissing(
  deps: Dependencies,
  call: Call,
  added: readonly NewAttachment[],
): Promise<readonly AttachmentView[]> {
  if (added.length === 0) return [];
  const now = deps.now();
  const documents = added.map((attachment) => attachmentDocument(deps.attachments, attachment, call, now));
  const fresh = await deps.attachments.insertMissing(documents, call);
  deps.attachmentRelay.enqueue(fresh.map(({ _id, outbox = [] }) => ({ _id, items: outbox })));
  return documents.map((document) => deps.attachments.viewOf(document));
}

/** @throws ServiceError 422 with the label of each missing attachment */
async function describeNamed(
  deps: Dependencies,
  call: Call,
  labels: readonly (readonly [string, PostedAttachment])[],
): Promise<readonly AttachmentView[]> {
  const named = labels.flatMap(([label, attachment]) =>
    'id' in attachment ? [{ label, id: attachment.id }] : [],
  );
  const ids = named.map(({ id }) => id);
  const known = await deps.attachments.linkable(call, ids);
  const unknown = named.filter(({ id }) => !known.some((attachment) => attachment.id === id));
  if (unknown.length === 0) return known;
  const errors = unknown.map(({ label }) => ({
    path: `/attachments/${label}/id`,
    code: 'attachment_not_found',
    message: 'is not an attachment of this retailer',
  }));
  throw new ServiceError(unknownAttachment, { errors });
}

/**
 * Stores the attachments of a receipt or packet.
 * @param owner the id from which the ids of inline attachments are derived
 * @throws ServiceError 422 if a referenced attachment does not exist, in which case nothing is stored.
 */
export async function storeAll(
  deps: Dependencies,
  call: Call,
  owner: string,
  posted: Readonly<Record<string, PostedAttachment>>,
): Promise<Record<string, AttachmentView>> {
  const labels = Object.entries(posted);
  if (labels.length === 0) return {};
  const inline = labels.flatMap(([label, attachment]) =>
    'id' in attachment ? [] : [inlineAttachment(deps.idSecret, owner, label, attachment)],
  );
  const known = await describeNamed(deps, call, labels);
  const all = [...known, ...(await storeMissing(deps, call, inline))];
  const views: Record<string, AttachmentView> = {};
  for (const [label, attachment] of labels) {
    const id = 'id' in attachment ? attachment.id : attachmentId(deps.idSecret, owner, label);
    const view = all.find((one) => one.id === id);
    if (view) views[label] = view;
  }
  return views;
}

/** Stores the attachments of a receipt before the receipt itself is stored. */
export function storeAttachments(deps: Dependencies): Handler<typeof contract> {
  return async ({ body }, call) => ({
    body: { attachments: await storeAll(deps, call, body.receipt_id, body.attachments) },
  });
}
