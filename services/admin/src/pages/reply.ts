import type { Html } from '@receipts/html';

export interface PageReply {
  readonly body: Buffer;
  readonly meta: {
    contentType: string;
    status: number;
    headers: Record<string, string>;
    cookies?: string[];
    /** Where the next part of a long file begins. */
    next?: string;
  };
}

/** What a page contains apart from markup and our stylesheets, so that its policy allows it. */
export interface PageContent {
  /** True for a script, which may only send requests to its own origin. */
  readonly hasScript?: boolean;
  /**
   * True for previews, which are embedded documents and inherit the page's policy. The policy therefore allows style
   * attributes, which e-mails use, and logos from anywhere.
   */
  readonly hasPreviews?: boolean;
  /** The policy of an embedded document. The page's policy allows the same, because both apply to the document. */
  readonly documentPolicy?: string | undefined;
}

/** The sources of a directive in a policy. */
const sourcesIn = (policy: string, directive: string) =>
  new RegExp(`(?:^|; )${directive} ([^;]+)`).exec(policy)?.[1] ?? '';

function policyOf({ hasScript, hasPreviews, documentPolicy = '' }: PageContent): string {
  const directives = {
    'default-src': ["'none'"],
    'style-src': ["'self'", hasPreviews && "'unsafe-inline'", sourcesIn(documentPolicy, 'style-src')],
    'form-action': ["'self'"],
    'base-uri': ["'none'"],
    'frame-ancestors': ["'none'"],
    'script-src': [hasScript && "'self'"],
    'connect-src': [hasScript && "'self'"],
    'img-src': [hasPreviews && 'http: https: data:', sourcesIn(documentPolicy, 'img-src')],
    'object-src': [hasPreviews && 'data:'],
    'frame-src': [hasPreviews && 'data:'],
  };
  return Object.entries(directives)
    .map(([name, sources]) => [name, ...sources.filter(Boolean)])
    .filter(({ length }) => length > 1)
    .map((parts) => parts.join(' '))
    .join('; ');
}

const contentType = 'text/html; charset=utf-8';

const headersOf = (content: PageContent = {}) => ({
  'content-security-policy': policyOf(content),
  // A form must send a referrer or origin so that its origin can be checked; links to other sites send neither.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
});

export function pageReply(page: Html, status = 200, content?: PageContent): PageReply {
  return { body: Buffer.from(page.text), meta: { contentType, status, headers: headersOf(content) } };
}

/** @param path relative to the base URL, to which the gateway adds the base path; or the address of another site */
export function redirectTo(path: string, cookies?: string[]): PageReply {
  const headers = { ...headersOf(), location: path };
  return {
    body: Buffer.alloc(0),
    meta: { contentType, status: 303, headers, ...(cookies && { cookies }) },
  };
}
