import { unknownCursorIn } from '@receipts/contracts';
import { idPattern, isConfined, type Call } from '@receipts/kernel';
import { keyOfStoreId } from '@receipts/search-language';
import type { ListFilters } from '../domain/receipt-links';
import { isVisible, visibleAmong } from '../domain/visible-receipts';
import type { ListedReceipt, ReceiptFilter } from '../storage/receipts';
import type { Dependencies } from './dependencies';
import { visibleTo } from './visible-to';

/** A page, and whether there are more receipts in the direction of reading. */
export interface Page {
  readonly receipts: readonly ListedReceipt[];
  readonly hasMore: boolean;
}

/** The receipts that a reader may see, and the requested filters. */
interface PageRequest {
  readonly filter: ReceiptFilter;
  readonly count: number;
  readonly call: Call;
}

/** A reader's view of a retailer's receipts, as of the time when it was opened. */
export class ReceiptView {
  /** The ids of receipts by number, as far as they have been read. */
  private readonly ids: Map<number, string>;

  constructor(
    private readonly deps: Dependencies,
    private readonly asked: PageRequest,
    /** The last arrival position that this view contains. */
    readonly end: number,
    ids: Iterable<readonly [number, string]> = [],
  ) {
    this.ids = new Map([[0, ''], ...ids]);
  }

  /** The page of receipts that arrived before a position. */
  async olderThan(arrival: number): Promise<Page> {
    const found = await this.list('newest', 0, Math.min(arrival - 1, this.end), this.asked.count + 1);
    return { receipts: found.slice(0, this.asked.count), hasMore: found.length > this.asked.count };
  }

  /** The page of receipts that arrived after a position. */
  async newerThan(arrival: number): Promise<Page> {
    const found = await this.list('oldest', arrival, this.end, this.asked.count + 1);
    return { receipts: found.slice(-this.asked.count), hasMore: found.length > this.asked.count };
  }

  async hasOlderThan(arrival: number): Promise<boolean> {
    return (await this.list('newest', 0, Math.min(arrival - 1, this.end), 1)).length > 0;
  }

  async hasNewerThan(arrival: number): Promise<boolean> {
    return (await this.list('oldest', arrival, this.end, 1)).length > 0;
  }

  /** The cursors for arrival positions. */
  async cursorsOf(arrivals: readonly number[]): Promise<readonly string[]> {
    const { cursors, receipts } = this.deps;
    const { call } = this.asked;
    const { retailer } = call;
    const unknown = arrivals.filter((arrival) => !this.ids.has(arrival));
    if (unknown.length > 0) {
      const read = await receipts.idsAt(retailer, unknown.flatMap(anchorsOf), call);
      for (const [arrival, id] of read) this.ids.set(arrival, id);
    }
    return arrivals.map((arrival) => {
      const anchor = anchorsOf(arrival).find((at) => this.ids.has(at)) ?? 0;
      return cursors.encode(retailer, { arrival, id: this.ids.get(anchor) ?? '' });
    });
  }

  private async list(from: 'newest' | 'oldest', above: number, upTo: number, count: number) {
    const range = { above, upTo, from, count };
    const { filter, call } = this.asked;
    const found = await this.deps.receipts.list(call.retailer, filter, range, call);
    for (const { arrival, _id } of found) this.ids.set(arrival, _id);
    return found;
  }
}

/**
 * The numbers whose receipts a cursor may be bound to: the cursor's own number, or the previous number if the cursor's
 * number is the one after the newest receipt.
 */
const anchorsOf = (arrival: number) => (arrival > 0 ? [arrival, arrival - 1] : [0]);

/** A cursor as sent. */
export interface PageCursor {
  /** The name of its query parameter. */
  readonly parameter: string;
  readonly value: string;
}

interface CursorPosition {
  readonly arrival: number;
  /** The ids that were read to verify the cursor, by number. */
  readonly ids: ReadonlyMap<number, string>;
}

/**
 * The position of a cursor: a value from a link, or the id of a receipt that this reader may see.
 * @throws ServiceError 400 `unknown_cursor`
 */
async function positionOf(
  deps: Dependencies,
  { parameter, value: cursor }: PageCursor,
  call: Call,
): Promise<CursorPosition> {
  const { cursors, receipts } = deps;
  const { retailer } = call;
  const arrival = cursors.arrivalOf(cursor);
  if (arrival !== undefined) {
    const anchors = anchorsOf(arrival);
    const ids = await receipts.idsAt(retailer, anchors, call);
    const isIssued = anchors.some((at) => {
      const id = ids.get(at);
      return id !== undefined && cursors.matches(cursor, retailer, { arrival, id });
    });
    if (isIssued) return { arrival, ids };
  } else if (idPattern.test(cursor)) {
    const found = await receipts.find(retailer, cursor, call);
    // The consumer and the store of a deleted receipt are no longer known.
    const isSeen = found && ('text' in found ? isVisible(found, visibleTo(deps, call)) : !isConfined(call));
    if (found && isSeen) {
      return { arrival: found.arrival, ids: new Map([[found.arrival, cursor]]) };
    }
  }
  throw unknownCursorIn(parameter);
}

/** Opens a view that contains all receipts that were acknowledged before this call. */
async function openView(deps: Dependencies, filters: ListFilters, call: Call): Promise<ReceiptView> {
  const end = await deps.receipts.lastNumber(call.retailer, call);
  return new ReceiptView(deps, askedOf(deps, filters, call), end);
}

/**
 * Opens a view at a cursor, and verifies the cursor at the same time.
 * @throws ServiceError 400 `unknown_cursor`
 */
export async function openViewAt(
  deps: Dependencies,
  filters: ListFilters,
  cursor: PageCursor,
  call: Call,
): Promise<{ readonly view: ReceiptView; readonly arrival: number }> {
  const [{ arrival, ids }, end] = await Promise.all([
    positionOf(deps, cursor, call),
    deps.receipts.lastNumber(call.retailer, call),
  ]);
  return { view: new ReceiptView(deps, askedOf(deps, filters, call), end, ids), arrival };
}

/**
 * The newest receipts of a view, and its end. Without filters, the end is that of the page itself, so that the most
 * frequent page costs one query. A descending scan of one index does not see receipts that are inserted after it has
 * begun.
 */
export async function newestPage(
  deps: Dependencies,
  filters: ListFilters,
  call: Call,
): Promise<Page & { readonly end: number; readonly view: ReceiptView }> {
  const asked = askedOf(deps, filters, call);
  if (Object.values(asked.filter).some((alternatives) => alternatives !== undefined)) {
    const view = await openView(deps, filters, call);
    return { ...(await view.olderThan(view.end + 1)), end: view.end, view };
  }
  const view = new ReceiptView(deps, asked, Number.MAX_SAFE_INTEGER);
  const page = await view.olderThan(view.end);
  return { ...page, end: page.receipts[0]?.arrival ?? 0, view };
}

function askedOf(deps: Dependencies, filters: ListFilters, call: Call): PageRequest {
  return { filter: filterOf(deps, filters, call), count: filters.count, call };
}

function filterOf(deps: Dependencies, filters: ListFilters, call: Call): ReceiptFilter {
  const { consumer, id, store_id: storeIds, store_reference: references, transaction_id } = filters;
  const visible = visibleTo(deps, call, { consumers: consumer, stores: references });
  const numbered = storeIds?.map((storeId) => keyOfStoreId(Number(storeId)));
  // Both filters must match, so the keys are intersected.
  return {
    consumers: visible.consumers,
    storeKeys: visibleAmong(numbered, visible.storeKeys),
    ids: id,
    transactionIds: transaction_id,
  };
}
