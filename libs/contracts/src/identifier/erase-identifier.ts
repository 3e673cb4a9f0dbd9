import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import { identifierNotFound, identifierParams } from './identifier';

/** Fulfils a person's legal right to erasure. */
export const eraseIdentifier = defineCommand(
  {
    name: 'identifier.erase-identifier',
    summary: 'Erase an identifier',
    description:
      'Permanently erases a consumer. Receipts keep their figures but lose all personal data and their attachments. The raw data of receipts is deleted, unless it also contains receipts of others. The identifier with its properties and summary is deleted, rewards are kept but no longer refer to the consumer, and addresses are removed from deliveries. The work continues after the 202 response and takes at most a minute. Repeat the request, without an `Idempotency-Key` or with a new one, until the response is 204, which means that the erasure is complete. `identifier.erased` is published at that point. A later receipt with ' +
      'the same identifier creates it again.',
    permission: 'view.erase_identifier',
    forConsumers: 'confined',
    http: { method: 'POST', path: '/identifiers/{identifier}/_erase', success: 202, otherSuccess: [204] },
    params: identifierParams,
    meta: z.object({ isDone: z.boolean() }),
    errors: [identifierNotFound],
  },
  { response: ({ isDone }) => ({ status: isDone ? 204 : 202 }) },
);
