import { createHash } from 'node:crypto';

const plainType =
  /^[A-Za-z0-9][\w.+-]{0,126}\/[A-Za-z0-9][\w.+-]{0,126}(?:\s*;\s*[\w.+-]{1,60}=(?:[\w.+-]{1,100}|"[\w .+:/-]{0,100}"))*$/;

const unknownContentType = 'application/octet-stream';

/** A content type that can be given back in a header; anything else becomes "some bytes". */
export function safeContentType(contentType: string | undefined): string {
  return contentType !== undefined && plainType.test(contentType.trim())
    ? contentType.trim()
    : unknownContentType;
}

/** An attachment that came inside a receipt has an id of its receipt and label, so that a repetition makes no second one. */
export function inlineAttachmentId(owner: string, label: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([owner, label]))
    .digest('hex');
  return `${owner.slice(0, 8)}${hash.slice(0, 16)}`;
}
