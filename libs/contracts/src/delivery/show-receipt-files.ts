import { defineQuery, rawOutput } from '@receipts/kernel';
import { z } from 'zod';
import { receiptFileHeaders } from '../ingest/attachment';
import { notAnInvoice, processingPending, receiptDeletedError } from '../receipt/errors';
import { receiptFormatTexts, type ReceiptFormat } from '../receipt/receipt-formats';
import { languageHeader, linkNotFound, privatePage, tokenParams, viewerHeaders } from './receipt-links';
import { publicRoute } from '../shared/public-route';

/** For consumers who hand a receipt on, such as to an expense system. The page links to each file. */
const showFile = (format: ReceiptFormat, name: string) =>
  defineQuery(
    {
      name: `delivery.show-receipt-${format}`,
      summary: `Take a receipt along as ${name}`,
      description: `Returns the receipt as a file: ${receiptFormatTexts[format]}`,
      http: { method: 'GET', path: `/r/{token}.${format}`, ...publicRoute },
      params: tokenParams,
      headers: z.object({ 'accept-language': languageHeader, ...viewerHeaders }),
      output: rawOutput,
      meta: z.object({ contentType: z.string(), fileName: z.string() }),
      errors: [linkNotFound, receiptDeletedError, processingPending, notAnInvoice],
    },
    {
      response: ({ fileName }) => ({
        headers: {
          ...privatePage,
          ...receiptFileHeaders(fileName),
          'content-security-policy': "default-src 'none'",
        },
      }),
    },
  );

export const showReceiptJson = showFile('json', 'JSON');
export const showReceiptCsv = showFile('csv', 'CSV');
export const showReceiptUbl = showFile('ubl', 'an electronic invoice');
export const showReceiptEkabs = showFile('ekabs', 'an EKaBS document');
