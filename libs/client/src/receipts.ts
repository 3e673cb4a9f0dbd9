import { dataOf } from './api-error';
import type { ReceiptsClient } from './client';
import type { components, paths } from './generated/api';

export type Receipt = components['schemas']['ReturnedReceipt'];

type ListQuery = NonNullable<paths['/receipts']['get']['parameters']['query']>;
/** The filters, and the page size. */
export type ReceiptFilters = Omit<ListQuery, 'newer' | 'older' | 'next' | 'prev' | 'pretty'>;

interface Link {
  readonly href: string;
}
interface Page {
  readonly _links: { readonly newer?: Link; readonly next?: Link; readonly prev?: Link };
  readonly receipts: Receipt[];
}

/** New receipts, oldest first, and the cursor to continue from once they have been processed. */
export interface Arrivals {
  readonly receipts: Receipt[];
  readonly cursor: string;
}

/** A link keeps the filters, so its query is complete. */
const queryOf = (href: string): ListQuery =>
  Object.fromEntries(new URLSearchParams(href.slice(href.indexOf('?') + 1)));

async function pageOf(client: ReceiptsClient, query: ListQuery): Promise<Page> {
  const params = { query, header: { 'service-api-version': '2' as const } };
  return (await dataOf(client.GET('/receipts', { params }))) as Page;
}

/** Every existing receipt, newest first, read page by page on demand. */
export async function* allReceipts(
  client: ReceiptsClient,
  filters: ReceiptFilters = {},
): AsyncGenerator<Receipt, void, undefined> {
  for (let query: ListQuery | undefined = filters; query !== undefined;) {
    const { receipts, _links }: Page = await pageOf(client, query);
    yield* receipts;
    query = _links.next && queryOf(_links.next.href);
  }
}

/** The current cursor. Pass it to `newReceipts` to get later arrivals. */
export async function currentCursor(client: ReceiptsClient, filters: ReceiptFilters = {}): Promise<string> {
  const { _links } = await pageOf(client, { count: 1, ...filters });
  if (!_links.newer) throw new Error('the first page of a list has no link to newer receipts');
  return _links.newer.href;
}

/**
 * The receipts that have arrived since the cursor, page by page, each exactly once; ends when there are no more for
 * now. Store the cursor of a page after processing its receipts, and continue there the next time.
 */
export async function* newReceipts(
  client: ReceiptsClient,
  cursor: string,
): AsyncGenerator<Arrivals, void, undefined> {
  for (let next: string | undefined = cursor; next !== undefined;) {
    const { receipts, _links }: Page = await pageOf(client, queryOf(next));
    const newer: string = _links.newer?.href ?? next;
    if (receipts.length > 0) yield { receipts: receipts.reverse(), cursor: newer };
    next = _links.prev && newer;
  }
}
