import { userInfo } from 'node:os';
import { createReceiptsClient, type ReceiptsClient } from '@receipts/client';

/** Header values must be ASCII. In a container the user may have no name. */
function nameOfUser(): string {
  try {
    return userInfo().username.replace(/[^\x20-\x7e]/g, '?');
  } catch {
    return String(process.getuid?.() ?? '');
  }
}

/** An API client that uses the operator's token and sends the user's name for the audit log. */
export function operatorClient(baseUrl: string, token: string): ReceiptsClient {
  const client = createReceiptsClient({
    baseUrl,
    credential: { token },
    send: (request) =>
      fetch(request).catch((cause: unknown) => {
        throw new Error(`${baseUrl} is not responding`, { cause });
      }),
  });
  client.use({ onRequest: ({ request }) => request.headers.set('service-operator', nameOfUser()) });
  return client;
}

interface Page {
  readonly _links: { readonly next?: { readonly href: string } };
}

/** All pages of a list. A link keeps the filters, so its query is complete. */
export async function allPages<P extends Page, Q extends object>(
  query: Q,
  read: (query: Q) => Promise<P>,
): Promise<P[]> {
  const pages: P[] = [];
  for (let next: Q | undefined = query; next !== undefined;) {
    const page: P = await read(next);
    pages.push(page);
    const href: string | undefined = page._links.next?.href;
    next =
      href === undefined ? undefined : (Object.fromEntries(new URLSearchParams(href.split('?')[1])) as Q);
  }
  return pages;
}
