import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import { identifierNotFound } from './identifier';

/** Fulfils a person's legal right to erasure. */
export const eraseIdentifier = defineCommand(
  {
    name: 'identifier.erase-identifier',
    summary: 'Erase an identifier',
    description:
      'For good. The receipts stay with their figures and lose whatever names the person; the identifier with its properties and its summary goes, ' +
      'rewards are kept under a name that is nobody, and deliveries lose their addresses. The work goes on after the answer 202 and is done within ' +
      'a minute, whatever fails meanwhile; asked again (without the same `Idempotency-Key`), the answer is 204 once it is done. `identifier.erased` tells of it. A later receipt with ' +
      'the same identifier makes it known anew.',
    permission: 'view.erase_identifier',
    http: { method: 'POST', path: '/identifiers/{identifier}/_erase', success: 202, otherSuccess: [204] },
    params: z.object({ identifier: z.string() }),
    meta: z.object({ isDone: z.boolean() }),
    errors: [identifierNotFound],
  },
  { answer: ({ isDone }) => ({ status: isDone ? 204 : 202 }) },
);
