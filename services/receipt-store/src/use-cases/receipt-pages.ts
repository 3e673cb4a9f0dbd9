import { unknownCursor } from '@receipts/contracts';
import { idPattern, ServiceError, type Call } from '@receipts/kernel';
import type { CursorCodec } from '../domain/cursor';
import type { ListFilters } from '../domain/receipt-links';
import { storeKeysOfReferences } from '../domain/store-reference';
import { visibleConsumers } from '../domain/visible-consumers';
import type { ListedReceipt, ReceiptFilter, Receipts } from '../storage/receipts';
import { namesOf, type StoreDirectory } from '../storage/store-directory';

export interface ReceiptPagesParts {
  readonly receipts: Receipts;
  readonly stores: StoreDirectory;
  readonly cursors: CursorCodec;
}

/** A page, and whether there are more receipts in the direction of reading. */
export interface Page {
  readonly receipts: readonly ListedReceipt[];
  readonly hasMore: boolean;
}

/** A reader's view of a retailer's receipts, as of the time when it was opened. */
export class ReceiptView {
  constructor(
    private readonly parts: ReceiptPagesParts,
    private readonly filter: ReceiptFilter,
    private readonly call: Call,
    private readonly count: number,
    /** The last place in the order of arrival that this view contains. */
    readonly end: number,
  ) {}

  /** The page of receipts that arrived before a place. */
  async olderThan(seq: number): Promise<Page> {
    const found = await this.list('newest', 0, Math.min(seq - 1, this.end), this.count + 1);
    return { receipts: found.slice(0, this.count), hasMore: found.length > this.count };
  }

  /** The page of receipts that arrived after a place. */
  async newerThan(seq: number): Promise<Page> {
    const found = await this.list('oldest', seq, this.end, this.count + 1);
    return { receipts: found.slice(-this.count), hasMore: found.length > this.count };
  }

  async hasOlderThan(seq: number): Promise<boolean> {
    return (await this.list('newest', 0, Math.min(seq - 1, this.end), 1)).length > 0;
  }

  async hasNewerThan(seq: number): Promise<boolean> {
    return (await this.list('oldest', seq, this.end, 1)).length > 0;
  }

  /**
   * The place of a cursor: a value from a link, or the id of a receipt that this reader may see.
   * @throws ServiceError 400 `unknown_cursor`
   */
  async placeOf(cursor: string): Promise<number> {
    const { cursors, receipts } = this.parts;
    const { retailer } = this.call;
    if (!idPattern.test(cursor)) {
      const seq = cursors.decode(retailer, cursor);
      if (seq !== undefined) return seq;
    } else {
      const found = await receipts.find(retailer, cursor, this.call);
      const { consumers } = this.call;
      const owner = found && 'identifier' in found ? (found.identifier ?? '') : '';
      if (found && (!consumers || consumers.includes(owner))) return found.seq;
    }
    throw new ServiceError(unknownCursor);
  }

  private list(from: 'newest' | 'oldest', above: number, upTo: number, count: number) {
    const range = { above, upTo, from, count };
    return this.parts.receipts.list(this.call.retailer, this.filter, range, this.call);
  }
}

/** Opens a view that contains all receipts that were answered before this call. */
export async function openView(
  parts: ReceiptPagesParts,
  filters: ListFilters,
  call: Call,
): Promise<ReceiptView> {
  const end = await parts.receipts.lastNumber(call.retailer, call);
  return new ReceiptView(parts, filterOf(parts, filters, call), call, filters.count, end);
}

/**
 * The newest receipts of a view, and its end. Without filters the end is that of the page itself, so that the most
 * frequent page costs one query: a descending scan of one index does not see receipts that are inserted after it has
 * begun.
 */
export async function newestPage(
  parts: ReceiptPagesParts,
  filters: ListFilters,
  call: Call,
): Promise<Page & Pick<ReceiptView, 'end'>> {
  const filter = filterOf(parts, filters, call);
  if (Object.values(filter).some((alternatives) => alternatives !== undefined)) {
    const view = await openView(parts, filters, call);
    return { ...(await view.olderThan(view.end + 1)), end: view.end };
  }
  const view = new ReceiptView(parts, filter, call, filters.count, Number.MAX_SAFE_INTEGER);
  const page = await view.olderThan(view.end);
  return { ...page, end: page.receipts[0]?.seq ?? 0 };
}

function filterOf(parts: ReceiptPagesParts, filters: ListFilters, call: Call): ReceiptFilter {
  const { consumer, id, store_id: storeIds, store_reference: references, transaction_id } = filters;
  const named = references && storeKeysOfReferences(references, namesOf(parts.stores, call.retailer));
  const numbered = storeIds?.map((storeId) => `id:${Number(storeId)}`);
  // Both filters must match, so the keys are intersected.
  const storeKeys = numbered && named ? named.filter((key) => numbered.includes(key)) : (numbered ?? named);
  return {
    consumers: visibleConsumers(call.consumers, consumer),
    storeKeys,
    ids: id,
    transactionIds: transaction_id,
  };
}
