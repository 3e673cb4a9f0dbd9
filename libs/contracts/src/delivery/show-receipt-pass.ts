import { defineQuery, rawOutput } from '@receipts/kernel';
import { z } from 'zod';
import { processingPending, receiptDeletedError } from '../receipt/errors';
import { languageHeader, languageParameter, linkNotFound, privatePage, tokenParams } from './receipt-links';
import { publicRoute } from '../shared/public-route';

export const passNotAvailable = {
  status: 404,
  code: 'pass_not_available',
  description: 'the installation has no certificate for passes',
} as const;

/** For consumers who keep receipts on an iPhone. The page links here if the operator has set a certificate. */
export const showReceiptPass = defineQuery(
  {
    name: 'delivery.show-receipt-pass',
    summary: 'Get a receipt as a pass for Apple Wallet',
    description:
      'Returns the receipt as a signed `.pkpass` file. The language is chosen as for the page. The operator must have set `APPLE_WALLET`.',
    http: {
      method: 'GET',
      path: '/r/{token}/pass',
      ...publicRoute,
      produces: ['application/vnd.apple.pkpass'],
    },
    params: tokenParams,
    query: z.object({ lang: languageParameter }),
    headers: z.object({ 'accept-language': languageHeader }),
    output: rawOutput,
    meta: z.object({ contentType: z.string(), filename: z.string() }),
    errors: [linkNotFound, receiptDeletedError, processingPending, passNotAvailable],
  },
  {
    response: ({ filename }) => ({
      headers: {
        ...privatePage,
        'content-disposition': `attachment; filename="${filename}"`,
        'content-security-policy': "default-src 'none'",
      },
    }),
  },
);
