import { type ReturnedReceipt, csvCell, csvTextCell, printCsv } from '@receipts/contracts';

/** The format of an export. Every method returns whole lines. */
export interface ExportFormat {
  readonly contentType: string;
  readonly fileName: string;
  readonly header: string;
  /** @param json the receipt */
  receipt(json: Buffer): readonly Buffer[];
  cursor(cursor: string): string;
}

const lineFeed = Buffer.from('\n');

export const ndjsonExport: ExportFormat = {
  contentType: 'application/x-ndjson',
  fileName: 'receipts.ndjson',
  header: '',
  receipt: (json) => [json, lineFeed],
  cursor: (cursor) => `${JSON.stringify({ _cursor: cursor })}\n`,
};

const columns = [
  'id',
  'transaction_id',
  'external_id',
  'timestamp',
  'localtime',
  'store_reference',
  'till_uuid',
  'identifier',
  'currency',
  'total',
  'net',
  'duplicate',
  'voided',
  'item_index',
  'item_name',
  'item_quantity',
  'item_unit',
  'item_unit_price',
  'item_total',
  'item_gtin',
  'item_lot',
  'item_serial',
];

const numberCell = (value: number | null) => (value === null ? '' : String(value));

export const csvExport: ExportFormat = {
  contentType: 'text/csv; charset=utf-8; header=present',
  fileName: 'receipts.csv',
  header: printCsv([columns]),
  receipt: (json) => [Buffer.from(printCsv(rowsOf(JSON.parse(json.toString()) as ReturnedReceipt)))],
  cursor: (cursor) => printCsv([['#cursor', cursor, ...columns.slice(2).map(() => '')]]),
};

/** One row per item. Numbers are printed as in JSON. */
function rowsOf(receipt: ReturnedReceipt): string[][] {
  const { id, total, net, l10n, timestamp, localtime, duplicate, voided } = receipt;
  const common = [
    id,
    csvTextCell(receipt.transaction_id),
    csvTextCell(receipt.external_id),
    csvCell(timestamp),
    csvCell(localtime),
    csvTextCell(receipt.store_reference),
    csvTextCell(receipt.till_uuid),
    csvTextCell(receipt.identifier),
    csvCell(l10n.currency),
    numberCell(total),
    numberCell(net),
    String(duplicate),
    String(voided !== null),
  ];
  return receipt.items.map((item, index) => [
    ...common,
    String(index),
    csvTextCell(item.name),
    numberCell(item.quantity),
    csvTextCell(item.unit),
    numberCell(item.unit_price),
    numberCell(item.total),
    csvTextCell(item.gtin),
    csvTextCell(item.lot),
    csvTextCell(item.serial),
  ]);
}
