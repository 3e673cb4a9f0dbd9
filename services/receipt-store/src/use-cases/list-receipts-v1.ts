import type { listReceiptsV1 as contract } from '@receipts/contracts';
import { invalidParameter, ServiceError, type Call, type Handler } from '@receipts/kernel';
import { newestPage, openViewAt, type Page, type ReceiptPagesParts } from './receipt-pages';

type Query = Parameters<Handler<typeof contract>>[0]['query'];

/** @throws ServiceError 400 `unknown_cursor` */
async function pageOf(parts: ReceiptPagesParts, query: Query, call: Call): Promise<Page> {
  const { newer, older } = query;
  if (newer === undefined && older === undefined) return newestPage(parts, query, call);
  const { view, seq } = await openViewAt(parts, query, newer ?? (older as string), call);
  return newer === undefined ? view.olderThan(seq) : view.newerThan(seq);
}

/** Version 1 of the list: an array, newest first, paged by ids. */
export function listReceiptsV1(parts: ReceiptPagesParts): Handler<typeof contract> {
  return async ({ query }, call) => {
    const { newer, older } = query;
    if (newer !== undefined && older !== undefined) {
      throw new ServiceError(invalidParameter, { description: 'newer and older exclude one another' });
    }
    const { receipts } = await pageOf(parts, query, call);
    return { body: Buffer.from(`[${receipts.map(({ text }) => text).join(',')}]`) };
  };
}
