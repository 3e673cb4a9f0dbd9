import {
  defineCommand,
  jsonVariants,
  patchErrors,
  permissionDenied,
  schemaValidationFailed,
} from '@receipts/kernel';
import { z } from 'zod';
import { receiptParams } from '../receipt/receipt-links';
import { ifMatchHeaders } from '../shared/fields';
import { returnedReceipt, returnedReceiptExample } from '../receipt';
import { identifierText } from '../shared/key-text';
import { consumerMismatch, processingPending, receiptDeletedError, receiptNotFound } from '../receipt/errors';

/** The permission to remove a receipt's identifier, in addition to the permission to patch. */
export const unassignPermission = 'view.unassign_receipt';

/** Changes the modifiable fields of a stored receipt: identifier, properties, returns of items, and `incomplete`. */
export const patchReceipt = defineCommand(
  {
    name: 'receipt-store.patch-receipt',
    summary: 'Patch a receipt',
    description:
      'Applies a JSON Patch (RFC 6902) to the receipt as GET returns it, completely or not at all. The patch can change `/identifier`, `/incomplete`, ' +
      'and `/properties` and `/items/{n}/return` with everything below them; it can test and copy all members. Removing the identifier sets it to `null` and ' +
      `requires the permission \`${unassignPermission}\`. Deprecated: ` +
      '`application/json` with `{identifier}` changes only the identifier.',
    permission: 'view.patch_receipt',
    forStores: 'confined',
    forConsumers: 'confined',
    http: { method: 'PATCH', path: '/receipts/{id}', success: 200 },
    needs: { permissions: true },
    params: receiptParams,
    headers: ifMatchHeaders,
    // The service validates the patch document, because patch errors have separate codes (400 `malformed_patch` and
    // others).
    body: jsonVariants({
      'application/json-patch+json': z.unknown(),
      'application/json': z.strictObject({
        identifier: identifierText.describe('The consumer who owns the receipt from now on.'),
      }),
    }),
    output: returnedReceipt,
    meta: z.object({ version: z.int() }),
    errors: [
      receiptNotFound,
      receiptDeletedError,
      processingPending,
      ...patchErrors,
      schemaValidationFailed,
      permissionDenied,
      consumerMismatch,
    ],
    examples: {
      request: [
        { op: 'add', path: '/identifier', value: 'jane@example.com' },
        { op: 'replace', path: '/properties/email_settings/send', value: false },
      ],
      response: returnedReceiptExample,
    },
  },
  { response: ({ version }) => ({ headers: { etag: `"${version}"` } }) },
);
