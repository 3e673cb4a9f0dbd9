import { csvCell, csvTextCell, printCsv, receiptRowsMax, type ReceiptRow } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import type { Language } from '../../pages/language';
import type { HandlerOf, Portal } from '../open-portal';
import { permittedPage } from '../page';
import { findRows } from './find-rows';
import { paymentNames, storeName } from './receipt-table';

const columns = [
  'id',
  'transaction_id',
  'localtime',
  'store_reference',
  'store',
  'till_uuid',
  'identifier',
  'items',
  'first_item',
  'payments',
  'currency',
  'total',
  'marks',
  'checks',
];

const lineOf = (row: ReceiptRow, language: Language): readonly string[] => [
  csvCell(row.id),
  ...[row.transaction_id, row.localtime, row.store_reference, storeName(row, language), row.till_uuid].map(
    csvTextCell,
  ),
  csvTextCell(row.identifier),
  String(row.items),
  ...[row.first_item, paymentNames(row, language), row.currency].map(csvTextCell),
  String(row.total),
  csvCell(row.marks.join(' ')),
  csvCell(row.checks.map(({ code }) => code).join(' ')),
];

/**
 * All receipts that match the filters of the page, as a file in parts: the gateway requests the next part once the
 * browser has read this one.
 * @throws ServiceError 422 `search_too_slow` if a search finds nothing within its time limit
 */
export const portalReceiptsCsv = (deps: Portal): HandlerOf<'portalReceiptsCsv'> =>
  permittedPage(deps, 'view.get_receipt', async (who, { query }) => {
    const { part } = query;
    const page = { beyond: part, direction: 'older', count: receiptRowsMax } as const;
    const found = await findRows(deps, who, query, page);
    const { rows, oldest, has_more: hasMore, is_complete: isComplete } = found;
    if (!isComplete && !hasMore)
      throw new ServiceError({
        status: 422,
        code: 'search_too_slow',
        description: who.language.t('found.tooSlow'),
      });
    const lines = rows.map((row) => lineOf(row, who.language));
    return {
      body: Buffer.from(printCsv(part === undefined ? [columns, ...lines] : lines)),
      meta: {
        contentType: 'text/csv; charset=utf-8; header=present',
        status: 200,
        headers: {
          'content-disposition': 'attachment; filename="receipts.csv"',
          'cache-control': 'no-store',
        },
        ...(hasMore && oldest !== undefined && { next: oldest }),
      },
    };
  });
