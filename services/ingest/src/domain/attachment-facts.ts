import { createHmac } from 'node:crypto';

const plainType =
  /^[A-Za-z0-9][\w.+-]{0,126}\/[A-Za-z0-9][\w.+-]{0,126}(?:\s*;\s*[\w.+-]{1,60}=(?:[\w.+-]{1,100}|"[\w .+:/-]{0,100}"))*$/;

const unknownContentType = 'application/octet-stream';

/** A content type that is safe to return in a header. Anything else becomes `application/octet-stream`. */
export function safeContentType(contentType: string | undefined): string {
  return contentType !== undefined && plainType.test(contentType.trim())
    ? contentType.trim()
    : unknownContentType;
}

const idBytes = 12;

/**
 * The id of an attachment. It is derived from the message that posted it, or from its receipt and label, so that a
 * retry does not create a second attachment. Other ids cannot be guessed from known ids.
 * @param secret the key used for the derivation
 */
export function attachmentId(secret: string, owner: string, label = ''): string {
  return createHmac('sha256', secret)
    .update(JSON.stringify(['attachment', owner, label]))
    .digest('hex')
    .slice(0, 2 * idBytes);
}
