import { concurrentWrite, defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import { always } from '../shared/schema-checks';
import { returnedReceipt } from '../receipt';
import { uuidV4 } from '../receipt/fields';
import { exactlyOneOf } from '../shared/exclusive';
import { consumerParameter } from '../shared/fields';
import { identifierText, keyText } from '../shared/key-text';
import {
  consumerMismatch,
  processingPending,
  receiptAlreadyAssigned,
  receiptToAssignNotFound,
} from '../receipt/errors';

const names = ['id', 'transaction_id', 'external_id'] as const;

const assignment = z
  .strictObject({
    id: keyText
      .optional()
      .describe(
        'The id of the receipt to assign. Cannot be combined with `transaction_id` or `external_id`.',
      ),
    transaction_id: keyText
      .optional()
      .describe(
        'The transaction id of the receipt to assign. Cannot be combined with `id` or `external_id`.',
      ),
    external_id: uuidV4
      .optional()
      .describe(
        'The external id of the receipt to assign. Cannot be combined with `id` or `transaction_id`.',
      ),
    identifier: identifierText.describe('The consumer to whom the receipt is assigned.'),
  })
  .superRefine(exactlyOneOf(names), always)
  .meta({ oneOf: names.map((name) => ({ required: [name] })) });

/** Used when a consumer claims an unassigned receipt, with data printed on it or displayed by the till. */
export const assignReceipt = defineCommand(
  {
    name: 'receipt-store.assign-receipt',
    summary: 'Assign a receipt',
    description:
      'Assigns a receipt without an identifier to a consumer. If the receipt already has this identifier, the request succeeds; if it has another identifier, the request is rejected. With `consumer`, or with a ' +
      'signature that contains it, the identifier must be one of its values. Clients with the setting `assign_returns_receipt` get 200 with the receipt, ' +
      'others 204.',
    permission: 'view.assign_receipt',
    forStores: 'confined',
    forConsumers: 'confined',
    http: { method: 'POST', path: '/receipts/_assign', success: 204, otherSuccess: [200] },
    query: z.object({ consumer: consumerParameter }),
    body: json(assignment),
    output: returnedReceipt,
    meta: z.object({ version: z.int(), returned: z.boolean() }),
    errors: [
      receiptToAssignNotFound,
      receiptAlreadyAssigned,
      processingPending,
      consumerMismatch,
      concurrentWrite,
    ],
    examples: { request: { id: '6650f2c81b3c9a0012ab34cd', identifier: 'jane@example.com' } },
  },
  {
    response: ({ version, returned }) =>
      returned ? { status: 200, headers: { etag: `"${version}"` } } : { status: 204 },
  },
);
