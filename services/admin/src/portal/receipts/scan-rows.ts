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

interface Scan {
  readonly kept: Rows['rows'];
  /** The position of the first row that was read, if any. */
  readonly start: string | undefined;
  /** Where the next page begins. */
  readonly reached: string | undefined;
  readonly hasMore: boolean;
  readonly last: Rows;
}

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
  const isDown = direction === 'older';
  const scan = async (from: string | undefined, earlier: Rows['rows'], left: number): Promise<Scan> => {
    const last = await read(from, chunkCount);
    const rows = isDown ? last.rows : last.rows.toReversed();
    const ids = await matching(rows);
    const found = rows.filter(({ id }) => ids.has(id)).slice(0, count - earlier.length);
    const kept = [...earlier, ...found];
    const isFull = kept.length === count;
    const end = isFull ? found.at(-1) : rows.at(-1);
    const reached = end?.position ?? from;
    const start = rows[0]?.position;
    const hasMore = last.has_more || end !== rows.at(-1);
    const isEnd = isFull || !last.has_more || !last.is_complete || left <= chunkCount;
    if (isEnd) return { kept, start, reached, hasMore, last };
    return { ...(await scan(reached, kept, left - chunkCount)), start };
  };
  const { kept, start, reached, hasMore, last } = await scan(beyond, [], scannedMax);
  return {
    rows: isDown ? kept : kept.toReversed(),
    has_more: hasMore,
    is_complete: last.is_complete,
    clauses: last.clauses,
    newest: isDown ? start : reached,
    oldest: isDown ? reached : start,
  };
}
