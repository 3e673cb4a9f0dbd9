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
  /** The number of receipts that were read; absent if all that were read are shown. */
  readonly scanned?: number;
}

/** The number of receipts that are read at a time. */
const chunkCount = 250;
/** The number of receipts that are read for a page. */
export const scannedMax = 10_000;

interface Scan {
  readonly kept: Rows['rows'];
  readonly scanned: number;
  /** The position of the first row that was read, if any. */
  readonly start: string | undefined;
  /** Where the next page begins. */
  readonly reached: string | undefined;
  readonly hasMore: boolean;
  readonly last: Rows;
}

interface Scanning {
  readonly read: (beyond: string | undefined, countMax: number) => Promise<Rows>;
  /** The ids of the rows that match. */
  readonly matching: (rows: Rows['rows']) => Promise<ReadonlySet<string>>;
  /** Whether a page that is not full may read on. */
  readonly hasTime: () => boolean;
}

/**
 * Reads receipts in order and keeps those that match, for filters by facts that receipt-store does not have. A page
 * that finds few ends after `scannedMax` receipts or when the time is up: the next page continues there.
 */
export async function scanRows(
  { read, matching, hasTime }: Scanning,
  { beyond, direction, count }: RowsPage,
): Promise<ScannedRows> {
  const isDown = direction === 'older';
  const readOn = async ({ reached: from, kept: earlier, ...scan }: Omit<Scan, 'last'>): Promise<Scan> => {
    const last = await read(from, chunkCount);
    const rows = isDown ? last.rows : last.rows.toReversed();
    const ids = await matching(rows);
    const found = rows.filter(({ id }) => ids.has(id)).slice(0, count - earlier.length);
    const kept = [...earlier, ...found];
    const isFull = kept.length === count;
    const end = isFull ? found.at(-1) : rows.at(-1);
    return {
      kept,
      scanned: scan.scanned + rows.length,
      reached: end?.position ?? from,
      start: scan.start ?? rows[0]?.position,
      hasMore: last.has_more || end !== rows.at(-1),
      last,
    };
  };
  const nothing = { kept: [], scanned: 0, start: undefined, reached: beyond, hasMore: true };
  let scan = await readOn(nothing);
  const isEnd = ({ kept, scanned, last }: Scan) =>
    kept.length === count || !last.has_more || !last.is_complete || scanned >= scannedMax;
  while (!isEnd(scan) && hasTime()) scan = await readOn(scan);
  const { kept, scanned, start, reached, hasMore, last } = scan;
  return {
    rows: isDown ? kept : kept.toReversed(),
    has_more: hasMore || (!last.is_complete && reached !== beyond),
    is_complete: last.is_complete,
    clauses: last.clauses,
    newest: isDown ? start : reached,
    oldest: isDown ? reached : start,
    scanned,
  };
}
