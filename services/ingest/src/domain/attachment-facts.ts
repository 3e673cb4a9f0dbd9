import { createHmac } from 'node:crypto';

const plainType =
  /^[A-Za-z0-9][\w.+-]{0,126}\/[A-Za-z0-9][\w.+-]{0,126}(?:\s*;\s*[\w.+-]{1,60}=(?:[\w.+-]{1,100}|"[\w .+:/-]{0,100}"))*$/;

const unknownContentType = 'application/octet-stream';

/** A content type that can be given back in a header; anything else becomes "some bytes". */
export function safeContentType(contentType: string | undefined): string {
  return contentType !== undefined && plainType.test(contentType.trim())
    ? contentType.trim()
    : unknownContentType;
}

const idBytes = 12;

/**
 * An attachment has an id of the message that brought it, or of its receipt and label, so that a repetition makes no second
 * one. Whoever knows some ids cannot guess another.
 * @param secret without it the id cannot be guessed from them
 */
export function attachmentId(secret: string, owner: string, label = ''): string {
  return createHmac('sha256', secret)
    .update(JSON.stringify(['attachment', owner, label]))
    .digest('hex')
    .slice(0, 2 * idBytes);
}
