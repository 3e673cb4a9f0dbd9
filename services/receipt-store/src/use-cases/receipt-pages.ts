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

/** A page, and whether there is more beyond its end in the direction in which it was read. */
export interface Page {
  readonly receipts: readonly ListedReceipt[];
  readonly hasMore: boolean;
}

/** One reader's view of a retailer's receipts, as of the moment at which it was opened. */
export class ReceiptView {
  constructor(
    private readonly parts: ReceiptPagesParts,
    private readonly filter: ReceiptFilter,
    private readonly call: Call,
    private readonly count: number,
    /** The last place of the order of arrival that this view contains. */
    readonly end: number,
  ) {}

  /** The page next to a place on its older side. */
  async olderThan(seq: number): Promise<Page> {
    const found = await this.list('newest', 0, Math.min(seq - 1, this.end), this.count + 1);
    return { receipts: found.slice(0, this.count), hasMore: found.length > this.count };
  }

  /** The page next to a place on its newer side. */
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
   * The place that a caller's cursor names: a value from a link, or the id of a receipt that this reader may see.
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

/** Opens a view that contains every receipt that was answered before this is called. */
export async function openView(
  parts: ReceiptPagesParts,
  filters: ListFilters,
  call: Call,
): Promise<ReceiptView> {
  const end = await parts.receipts.lastNumber(call.retailer, call);
  return new ReceiptView(parts, filterOf(parts, filters, call), call, filters.count, end);
}

/**
 * The newest receipts of a view, and where it ends. Where nothing is filtered the list itself says what came last, so that
 * the page that is asked for most costs one look: a scan down one index sees nothing that comes after its begin.
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
  // Filters add up, so a store must be among both where both are given.
  const storeKeys = numbered && named ? named.filter((key) => numbered.includes(key)) : (numbered ?? named);
  return {
    consumers: visibleConsumers(call.consumers, consumer),
    storeKeys,
    ids: id,
    transactionIds: transaction_id,
  };
}
