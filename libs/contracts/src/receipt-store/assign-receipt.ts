import { concurrentWrite, defineCommand, json, vector } from '@receipts/kernel';
import { z } from 'zod';
import { always } from '../shared/schema-checks';
import { returnedReceipt } from '../receipt';
import { uuidV4 } from '../receipt/fields';
import { exactlyOneOf } from '../shared/exclusive';
import { keyText } from '../shared/names';
import {
  consumerMismatch,
  processingPending,
  receiptAlreadyAssigned,
  receiptToAssignNotFound,
} from '../receipt/errors';

const names = ['id', 'transaction_id', 'external_id'] as const;

const assignment = z
  .strictObject({
    id: keyText.optional(),
    transaction_id: keyText.optional(),
    external_id: uuidV4.optional(),
    identifier: keyText,
  })
  .superRefine(exactlyOneOf(names), always)
  .meta({ oneOf: names.map((name) => ({ required: [name] })) });

/** A consumer claims an unassigned receipt, by data that is printed on it or that its till displayed. */
export const assignReceipt = defineCommand(
  {
    name: 'receipt-store.assign-receipt',
    summary: 'Assign a receipt',
    description:
      'Gives a receipt without identifier to a consumer. The same identifier again is a success, another one is refused. With `consumer`, or with a ' +
      'signature that carries it, the identifier must be among its values. The answer is 200 with the receipt for clients that are set up with ' +
      '`assign_returns_receipt`, else 204.',
    permission: 'view.assign_receipt',
    http: { method: 'POST', path: '/receipts/_assign', success: 204, otherSuccess: [200] },
    query: z.object({
      consumer: vector({ max: 5, description: 'Identifiers of the consumer.' }).optional(),
    }),
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
    answer: ({ version, returned }) =>
      returned ? { status: 200, headers: { etag: `"${version}"` } } : { status: 204 },
  },
);

export type Assignment = z.output<typeof assignment>;
