import { csvCell, csvTextCell, printCsv, receiptRowsMax, type ReceiptRow } from '@receipts/contracts';
import type { Language } from '../../pages/language';
import type { Endpoint, Portal } from '../open-portal';
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

/** The receipts that the page shows and those on its further pages, at most a thousand, as a file. */
export const portalReceiptsCsv = (deps: Portal): Endpoint<'portalReceiptsCsv'> =>
  permittedPage(deps, 'view.get_receipt', async (who, { query }) => {
    const { rows } = await findRows(deps, who, query, { direction: 'older', count: receiptRowsMax });
    return {
      body: Buffer.from(printCsv([columns, ...rows.map((row) => lineOf(row, who.language))])),
      meta: {
        contentType: 'text/csv; charset=utf-8; header=present',
        status: 200,
        headers: {
          'content-disposition': 'attachment; filename="receipts.csv"',
          'cache-control': 'no-store',
        },
      },
    };
  });
