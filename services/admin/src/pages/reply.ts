import type { Html } from './html';

export interface PageReply {
  readonly body: Buffer;
  readonly meta: {
    contentType: string;
    status: number;
    headers: Record<string, string>;
    cookies?: string[];
  };
}

const policy =
  "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
const pageHeaders = {
  'content-security-policy': policy,
  // A form must send a referrer or origin so that its origin can be checked; links to other sites send neither.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
};

const contentType = 'text/html; charset=utf-8';

export function pageReply(page: Html, status = 200): PageReply {
  return { body: Buffer.from(page.text), meta: { contentType, status, headers: { ...pageHeaders } } };
}

/** The sources of a directive in a policy, each preceded by a space. */
const sourcesIn = (policy: string, directive: string) =>
  new RegExp(`(?:^|; )${directive}((?: [^;]+)?)`).exec(policy)?.[1] ?? '';

/** Allows a page to load everything that an embedded document needs, because both policies apply to such a document. */
export function withDocument(reply: PageReply, documentPolicy: string): PageReply {
  const own = reply.meta.headers['content-security-policy'] ?? '';
  const styles = sourcesIn(documentPolicy, 'style-src');
  const images = sourcesIn(documentPolicy, 'img-src');
  const allowed = own.replace("style-src 'self'", `style-src 'self'${styles}`);
  const headers = {
    ...reply.meta.headers,
    'content-security-policy': images === '' ? allowed : `${allowed}; img-src${images}`,
  };
  return { ...reply, meta: { ...reply.meta, headers } };
}

/** A page with a script, which may only send requests to its own origin. */
export function livePageReply(page: Html): PageReply {
  const reply = pageReply(page);
  const headers = {
    ...reply.meta.headers,
    'content-security-policy': `${policy}; script-src 'self'; connect-src 'self'`,
  };
  return { ...reply, meta: { ...reply.meta, headers } };
}

/**
 * A page with a script and with previews, which are embedded documents and inherit its policy. The policy therefore
 * allows style attributes, which e-mails use, and logos from anywhere.
 */
export function previewPageReply(page: Html, status: number): PageReply {
  const reply = livePageReply(page);
  const own = reply.meta.headers['content-security-policy'] ?? '';
  const allowed = own.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'");
  const headers = {
    ...reply.meta.headers,
    'content-security-policy': `${allowed}; img-src http: https: data:; object-src data:; frame-src data:`,
  };
  return { ...reply, meta: { ...reply.meta, status, headers } };
}

/** @param path relative to the base URL; the gateway adds the base path */
export function redirectTo(path: string, cookies?: string[]): PageReply {
  const headers = { ...pageHeaders, location: path };
  return {
    body: Buffer.alloc(0),
    meta: { contentType, status: 303, headers, ...(cookies && { cookies }) },
  };
}
