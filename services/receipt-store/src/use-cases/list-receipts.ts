import { exclusiveParameters, type listReceipts as contract } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { joinJson } from '../domain/join-json';
import { listHref, type CursorName } from '../domain/receipt-links';
import type { ListedReceipt } from '../storage/receipts';
import { newestPage, openViewAt, type ReceiptView } from './receipt-pages';
import type { Dependencies } from './dependencies';

const cursorNames = ['newer', 'next', 'prev'] as const;

/** A page with the positions of its links; a missing position means no link. */
interface LinkedPage {
  readonly receipts: readonly ListedReceipt[];
  readonly newer?: number | undefined;
  readonly next?: number | undefined;
  readonly prev?: number | undefined;
}

const first = (receipts: readonly ListedReceipt[]) => receipts[0]?.arrival;
const last = (receipts: readonly ListedReceipt[]) => receipts.at(-1)?.arrival;

interface ViewedPage {
  readonly view: ReceiptView;
  readonly page: LinkedPage;
}

async function firstPage(...asked: Parameters<typeof newestPage>): Promise<ViewedPage> {
  const { receipts, hasMore, end, view } = await newestPage(...asked);
  return { view, page: { receipts, newer: end, next: hasMore ? last(receipts) : undefined } };
}

async function nextPage(view: ReceiptView, arrival: number): Promise<LinkedPage> {
  const { receipts, hasMore } = await view.olderThan(arrival);
  const top = first(receipts) ?? arrival - 1;
  return {
    receipts,
    next: hasMore ? last(receipts) : undefined,
    prev: (await view.hasNewerThan(top)) ? top : undefined,
  };
}

async function prevPage(view: ReceiptView, arrival: number): Promise<LinkedPage> {
  const { receipts, hasMore } = await view.newerThan(arrival);
  const bottom = last(receipts) ?? arrival + 1;
  return {
    receipts,
    newer: hasMore ? undefined : Math.max(view.end, arrival),
    next: (await view.hasOlderThan(bottom)) ? bottom : undefined,
    prev: hasMore ? first(receipts) : undefined,
  };
}

/**
 * The receipts that have arrived since. The `newer` link continues where this page ends, so a client that follows it
 * neither misses nor repeats receipts.
 */
async function newerPage(view: ReceiptView, arrival: number): Promise<LinkedPage> {
  const { receipts, hasMore } = await view.newerThan(arrival);
  const bottom = last(receipts);
  return {
    receipts,
    newer: hasMore ? first(receipts) : Math.max(view.end, arrival),
    next: bottom !== undefined && (await view.hasOlderThan(bottom)) ? bottom : undefined,
    prev: hasMore ? first(receipts) : undefined,
  };
}

const pages: Readonly<Record<CursorName, (view: ReceiptView, arrival: number) => Promise<LinkedPage>>> = {
  newer: newerPage,
  next: nextPage,
  prev: prevPage,
};

/** @throws ServiceError 400 `unknown_cursor` */
async function pageFrom(name: CursorName, ...at: Parameters<typeof openViewAt>): Promise<ViewedPage> {
  const { view, arrival } = await openViewAt(...at);
  return { view, page: await pages[name](view, arrival) };
}

/** Version 2 of the list: pages with links. */
export function listReceipts(deps: Dependencies): Handler<typeof contract> {
  return async ({ query }, call) => {
    const given = cursorNames.filter((name) => query[name] !== undefined);
    if (given.length > 1) {
      throw exclusiveParameters(cursorNames, given.slice(1));
    }
    const [name] = given;
    const { view, page } =
      name === undefined
        ? await firstPage(deps, query, call)
        : await pageFrom(name, deps, query, { parameter: name, value: query[name] as string }, call);
    const linked = cursorNames.flatMap((link) => {
      const arrival = page[link];
      return arrival === undefined ? [] : [{ link, arrival }];
    });
    const cursors = await view.cursorsOf(linked.map(({ arrival }) => arrival));
    const links = Object.fromEntries([
      ['latest', { href: listHref(query) }],
      ...linked.map(({ link }, i) => [link, { href: listHref(query, [link, cursors[i] as string]) }]),
    ]) as Readonly<Record<string, { readonly href: string }>>;
    return { body: joinJson(`{"_links":${JSON.stringify(links)},"receipts":[`, page.receipts, ']}') };
  };
}
