import { defineQuery, rawOutput } from '@receipts/kernel';
import { z } from 'zod';
import { receiptFileHeaders } from '../ingest/attachment';
import { notAnInvoice, processingPending, receiptDeletedError } from '../receipt/errors';
import { receiptFormTexts, type ReceiptForm } from '../receipt/receipt-forms';
import {
  languageHeader,
  linkNotFound,
  privatePage,
  publicRoute,
  tokenParams,
  viewerHeaders,
} from './receipt-links';

/** For consumers who hand a receipt on, such as to an expense system. The page links to each form. */
const showForm = (form: ReceiptForm, name: string) =>
  defineQuery(
    {
      name: `delivery.show-receipt-${form}`,
      summary: `Take a receipt along as ${name}`,
      description: `Returns the receipt as a file: ${receiptFormTexts[form]}`,
      http: { method: 'GET', path: `/r/{token}.${form}`, ...publicRoute },
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

export const showReceiptJson = showForm('json', 'JSON');
export const showReceiptCsv = showForm('csv', 'CSV');
export const showReceiptUbl = showForm('ubl', 'an electronic invoice');
export const showReceiptEkabs = showForm('ekabs', 'an EKaBS document');
