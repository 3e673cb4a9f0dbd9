import type { receiptStoreContracts } from '@receipts/contracts';
import type { ReceivedReply } from '@receipts/kernel';

export type Rows = ReceivedReply<(typeof receiptStoreContracts)['listReceiptRows']>['body'];

export interface RowsPage {
  readonly beyond?: string | undefined;
  readonly direction: 'older' | 'newer';
  readonly count: number;
}

export interface ScannedRows extends Rows {
  /** The positions at which the next pages begin. */
  readonly newest?: string | undefined;
  readonly oldest?: string | undefined;
}

/** The number of receipts that are read at a time, and for a page. */
const chunkCount = 250;
export const scannedMax = 1_000;

/**
 * Reads receipts in order and keeps those that match, for filters by facts that receipt-store does not have. A page
 * ends after a thousand receipts, even if it is not full: the next page continues there.
 * @param matching the ids of the rows that match
 */
export async function scanRows(
  read: (beyond: string | undefined, countMax: number) => Promise<Rows>,
  matching: (rows: Rows['rows']) => Promise<ReadonlySet<string>>,
  { beyond, direction, count }: RowsPage,
): Promise<ScannedRows> {
  const kept: Rows['rows'] = [];
  let from = beyond;
  let start: string | undefined;
  let page: Rows | undefined;
  let isFull = false;
  for (let scanned = 0; scanned < scannedMax && !isFull && page?.has_more !== false; scanned += chunkCount) {
    page = await read(from, chunkCount);
    const rows = direction === 'older' ? page.rows : page.rows.toReversed();
    const ids = rows.length === 0 ? new Set<string>() : await matching(rows);
    for (const row of rows) {
      start ??= row.position;
      from = row.position;
      if (ids.has(row.id)) kept.push(row);
      isFull = kept.length === count;
      if (isFull) break;
    }
    if (!page.is_complete) break;
  }
  const isMore = isFull || page?.has_more === true;
  return {
    rows: direction === 'older' ? kept : kept.toReversed(),
    has_more: isMore,
    is_complete: page?.is_complete ?? true,
    clauses: page?.clauses ?? [],
    newest: direction === 'older' ? start : from,
    oldest: direction === 'older' ? from : start,
  };
}
