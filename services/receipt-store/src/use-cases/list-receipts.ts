import type { listReceipts as contract } from '@receipts/contracts';
import { invalidParameter, ServiceError, type Handler } from '@receipts/kernel';
import { listHref, type CursorName } from '../domain/receipt-links';
import type { ListedReceipt } from '../storage/receipts';
import { newestPage, openView, type ReceiptPagesParts, type ReceiptView } from './receipt-pages';

/** A page with the places of its links; without a place there is no link. */
interface LinkedPage {
  readonly receipts: readonly ListedReceipt[];
  readonly newer?: number | undefined;
  readonly next?: number | undefined;
  readonly prev?: number | undefined;
}

const first = (receipts: readonly ListedReceipt[]) => receipts[0]?.seq;
const last = (receipts: readonly ListedReceipt[]) => receipts.at(-1)?.seq;

async function firstPage(...asked: Parameters<typeof newestPage>): Promise<LinkedPage> {
  const { receipts, hasMore, end } = await newestPage(...asked);
  return { receipts, newer: end, next: hasMore ? last(receipts) : undefined };
}

async function nextPage(view: ReceiptView, seq: number): Promise<LinkedPage> {
  const { receipts, hasMore } = await view.olderThan(seq);
  const top = first(receipts) ?? seq - 1;
  return {
    receipts,
    next: hasMore ? last(receipts) : undefined,
    prev: (await view.hasNewerThan(top)) ? top : undefined,
  };
}

async function prevPage(view: ReceiptView, seq: number): Promise<LinkedPage> {
  const { receipts, hasMore } = await view.newerThan(seq);
  const bottom = last(receipts) ?? seq + 1;
  return {
    receipts,
    newer: hasMore ? undefined : Math.max(view.end, seq),
    next: (await view.hasOlderThan(bottom)) ? bottom : undefined,
    prev: hasMore ? first(receipts) : undefined,
  };
}

/**
 * The receipts that have arrived since. The `newer` link continues where this page ends, so a client that follows it
 * misses and repeats nothing.
 */
async function newerPage(view: ReceiptView, seq: number): Promise<LinkedPage> {
  const { receipts, hasMore } = await view.newerThan(seq);
  const bottom = last(receipts);
  return {
    receipts,
    newer: hasMore ? first(receipts) : Math.max(view.end, seq),
    next: bottom !== undefined && (await view.hasOlderThan(bottom)) ? bottom : undefined,
    prev: hasMore ? first(receipts) : undefined,
  };
}

const pages: Readonly<Record<CursorName, (view: ReceiptView, seq: number) => Promise<LinkedPage>>> = {
  newer: newerPage,
  next: nextPage,
  prev: prevPage,
};

/** @throws ServiceError 400 `unknown_cursor` */
async function pageFrom(name: CursorName, view: ReceiptView, cursor: string): Promise<LinkedPage> {
  return pages[name](view, await view.placeOf(cursor));
}

/** Version 2 of the list: pages with links. */
export function listReceipts(parts: ReceiptPagesParts): Handler<typeof contract> {
  return async ({ query }, call) => {
    const given = (['newer', 'next', 'prev'] as const).filter((name) => query[name] !== undefined);
    if (given.length > 1) {
      throw new ServiceError(invalidParameter, { description: 'newer, next and prev exclude one another' });
    }
    const [name] = given;
    const page =
      name === undefined
        ? await firstPage(parts, query, call)
        : await pageFrom(name, await openView(parts, query, call), query[name] as string);
    const links: Record<string, { readonly href: string }> = { latest: { href: listHref(query) } };
    for (const linked of ['newer', 'next', 'prev'] as const) {
      const seq = page[linked];
      if (seq === undefined) continue;
      links[linked] = { href: listHref(query, [linked, parts.cursors.encode(call.retailer, seq)]) };
    }
    const receipts = page.receipts.map(({ text }) => text).join(',');
    return { body: Buffer.from(`{"_links":${JSON.stringify(links)},"receipts":[${receipts}]}`) };
  };
}
