import type { ReceiptFormat, ReturnedReceipt } from '@receipts/contracts';
import { parseExactly, printExactly } from '@receipts/kernel';
import { csvExport } from '../export-lines';
import { ekabsOf } from './ekabs';
import type { Buyer } from './invoice';
import { receiptJson } from './receipt-json';
import { ublOf } from './ubl';

/** A receipt as a file. */
export interface ReceiptFile {
  readonly contentType: string;
  readonly fileName: string;
  readonly body: Buffer;
}

interface Format {
  readonly contentType: string;
  /** The end of the file name. */
  readonly extension: string;
  readonly print: (receipt: ReturnedReceipt, buyer: Buyer | undefined) => string;
}

/** Numbers keep all their digits. The receipt is the parsed text that they come from. */
const json = (value: unknown, receipt: ReturnedReceipt) => printExactly(value, receipt);

const formats: Readonly<Record<ReceiptFormat, Format>> = {
  json: {
    contentType: 'application/json',
    extension: 'json',
    print: (receipt) => json(receiptJson(receipt), receipt),
  },
  csv: {
    contentType: csvExport.contentType,
    extension: 'csv',
    print: (receipt) => {
      const anonymous = Buffer.from(json({ ...receipt, identifier: null }, receipt));
      return csvExport.header + Buffer.concat(csvExport.receipt(anonymous)).toString();
    },
  },
  ubl: { contentType: 'application/xml', extension: 'xml', print: ublOf },
  ekabs: {
    contentType: 'application/json',
    extension: 'ekabs.json',
    print: (receipt) => json(ekabsOf(receipt), receipt),
  },
};

const nameCharactersMax = 60;
/** Characters that some system forbids in file names, and those that show text in another order. */
const unsafe = /[^\p{L}\p{M}\p{N}._-]+/gu;

/** The store and the date of the sale. */
function nameOf({ store, retailer, localtime }: ReturnedReceipt): string {
  const seller = (store.name ?? retailer.name).replace(unsafe, '-').replace(/^[.-]+|-+$/g, '');
  const shortened = [...seller].slice(0, nameCharactersMax).join('');
  return [shortened, localtime.slice(0, 'YYYY-MM-DD'.length)].filter((part) => part !== '').join('-');
}

/**
 * @param text the receipt as JSON
 * @param buyer undefined if the consumer is not known by name and address
 * @throws ServiceError 422 `not_an_invoice`
 */
export function receiptFile(text: string, format: ReceiptFormat, buyer: Buyer | undefined): ReceiptFile {
  const receipt = parseExactly(text) as ReturnedReceipt;
  const { contentType, extension, print } = formats[format];
  return {
    contentType,
    fileName: `${nameOf(receipt)}.${extension}`,
    body: Buffer.from(print(receipt, buyer)),
  };
}
