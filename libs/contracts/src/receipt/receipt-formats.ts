/** The formats in which a consumer can take a receipt along. */
export const receiptFormats = ['json', 'csv', 'ubl', 'ekabs'] as const;
export type ReceiptFormat = (typeof receiptFormats)[number];

export const receiptFormatTypes: Readonly<Record<ReceiptFormat, string>> = {
  json: 'application/json',
  csv: 'text/csv',
  ubl: 'application/xml',
  ekabs: 'application/json',
};

export const receiptFormatTexts: Readonly<Record<ReceiptFormat, string>> = {
  json: 'as its page shows it, without free-form data, the identifier, and card facts other than the brand and the last four digits.',
  csv: 'the columns of `GET /receipts/export`, with an empty `identifier` and one row for each item.',
  ubl:
    'a UBL 2.1 invoice by EN 16931, or a credit note if the total is negative. ' +
    'A receipt that lacks what the standard requires causes 422, and `errors` names each missing business term.',
  ekabs: 'the German "elektronischer Kassenbeleg", with the data of the TSE.',
};

export const receiptFormatsText = receiptFormats
  .map((format) => `\`${format}\`: ${receiptFormatTexts[format]}`)
  .join(' ');
